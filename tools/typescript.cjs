/**
 * `node --require ./tools/typescript.cjs file.ts` runs TypeScript programs without a build. Types are checked by
 * `npm run check` only.
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
