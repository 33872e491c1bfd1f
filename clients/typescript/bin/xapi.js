#!/usr/bin/env node
/** Starts the command. In a checkout of the project, builds what has changed first; the published package is built. */
import { existsSync } from 'node:fs';

const ensureBuilt = new URL('../ensure-built.mjs', import.meta.url);
if (existsSync(ensureBuilt)) (await import(ensureBuilt.href)).ensureBuilt();
await import('../dist/xapi.cjs');
