#!/usr/bin/env node
/** Runs the reference device of this checkout, and builds what has changed first: `npm run device` in any folder. */
process.title = 'xapi-device';
process.argv.splice(2, 0, 'device');
await import('../../tools/check-node.cjs');
await import('../../tools/run-built.mjs');
