/**
 * `node --require ./scripts/typescript.cjs file.ts`: programs beside the service run as they stand, without a build of
 * their own. Types are what `npm run check` is for.
 */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const OPTIONS = { ...require('./swc-options.cjs'), sourceMaps: 'inline' };

function compile(module, filename) {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
  module._compile(code, filename);
}
require.extensions['.ts'] = compile;
require.extensions['.tsx'] = compile;
