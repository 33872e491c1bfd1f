#!/usr/bin/env node
/** Runs the device: the bundle of an installed package, or the sources of a checkout, built if they have changed. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

process.title = 'xapi-device';
if (existsSync(new URL('src/main.ts', import.meta.url))) {
  process.argv.splice(2, 0, 'device');
  await import('../../tools/check-node.cjs');
  await import('../../tools/run-built.mjs');
} else {
  // An import would parse the whole file for the names that it exports.
  createRequire(import.meta.url)('./dist/main.cjs');
}
