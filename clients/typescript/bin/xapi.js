#!/usr/bin/env node
/** Starts the command. In a checkout of the project, builds what has changed first; the published package is built. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const ensureBuilt = new URL('../ensure-built.mjs', import.meta.url);
if (existsSync(ensureBuilt)) (await import(ensureBuilt.href)).ensureBuilt();
// An import would parse the whole file for the names that it exports, which takes as long as all else of a start.
createRequire(import.meta.url)('../dist/xapi.cjs');
