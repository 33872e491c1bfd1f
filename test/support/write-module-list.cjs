/** Loaded with `--require`: writes the paths of all loaded modules to MODULE_LIST when the process exits. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.MODULE_LIST, Object.keys(require.cache).join('\n')));
