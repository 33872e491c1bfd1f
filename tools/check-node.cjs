/**
 * Ends the process with one sentence if package.json doesn't support this version of Node.js. npm scripts preload it
 * (`node -r`), so that it runs before Node.js reads any other module. It uses only what very old versions know.
 */
'use strict';
const { engines } = require('../package.json');

/** Returns whether a version is in a range of `engines`: `^20.19.0` or `>=24.11.0`. */
function isInRange(version, range) {
  const minimum = range.replace(/^\D+/, '').split('.').map(Number);
  const actual = version.split('.').map(Number);
  if (actual[0] !== minimum[0]) return range.startsWith('>=') && actual[0] > minimum[0];
  return actual[1] !== minimum[1] ? actual[1] > minimum[1] : actual[2] >= minimum[2];
}

const ranges = engines.node.split(' || ');
if (!ranges.some((range) => isInRange(process.versions.node, range))) {
  const names = ranges.map((range) => /(?<!\d)\d+\.\d+/.exec(range)[0] + '+');
  const list = names.slice(0, -1).join(', ') + ' or ' + names[names.length - 1];
  const actual = process.versions.node;
  process.stderr.write('Needs Node.js ' + list + '. This is ' + actual + '. With nvm, run `nvm install`.\n');
  process.exit(1);
}
