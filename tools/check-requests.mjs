/**
 * Counts the files of the service of which a request runs a function that an idle service does not run, and fails above
 * a limit of docs/architecture.md#measured. The service is one process without Redis. `--list` prints the files.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire, Module } from 'node:module';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureFilesBuilt, root } from './lib.mjs';
import { findWrongLimits } from './structure/documented-limits.mjs';

/** Longer than the intervals of most periodic tasks. The others have run at the start. */
const IDLE_MS = 10_000;
const SOURCES = join(root, 'src', sep);
const BUILD = join(root, 'dist', 'src', sep);
/** What the compiler writes for an export: an accessor of the name. */
const ACCESSOR = /^(?:get \w+|function) ?\(\) ?\{\s*return [\w.[\]]+;\s*\}$/;
const showsAll = process.argv.includes('--list');

ensureFilesBuilt();
const require = createRequire(import.meta.url);
require('./typescript.cjs');
// The modules of tests, but the service as it is built.
const resolve = Module._resolveFilename;
Module._resolveFilename = (...args) => toBuilt(resolve(...args));
const { RelayFixture } = require('../test/support/relay-fixture.ts');
const { expectStatus } = require('../test/support/device/foreign-device.ts');

const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
const fixture = await RelayFixture.start();
const { id } = await fixture.createMachine();
const idle = await listEnteredFiles(() => sleep(IDLE_MS));
const results = [
  await measure('GET /sessions', 60, () => fixture.http.get('/external/v1/sessions', fixture.token)),
  await measure('POST /machines/{id}/invoke', 100, () => fixture.invokeMachine(id)),
];
await fixture.stop();

const wrong = findWrongLimits(results, '| Request ');
for (const { name, value, limit, files } of results) {
  const isMet = value > 0 && value <= limit;
  if (!isMet) process.exitCode = 1;
  console.log(`${isMet ? ' ' : '✗'} files of the service that ${name} enters: ${value} (at most ${limit})`);
  if (!isMet || showsAll) for (const file of files) console.log(`    ${file}`);
}
for (const { path, name } of wrong) console.log(`✗ ${path}: ${name}`);
process.exit(wrong.length > 0 ? 1 : process.exitCode);

function toBuilt(path) {
  return path.startsWith(SOURCES) ? path.replace(SOURCES, BUILD).replace(/\.tsx?$/, '.js') : path;
}

/** Sends the request for the first time in this process. */
async function measure(name, limit, send) {
  const entered = await listEnteredFiles(async () => expectStatus(await send(), 200));
  const files = entered.filter((file) => !idle.includes(file));
  return { name, value: files.length, limit, files };
}

async function listEnteredFiles(work) {
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(pathToFileURL(BUILD).href))
    .map(({ url, functions }) => ({ file: fileURLToPath(url), functions }))
    .filter(isEntered)
    .map(({ file }) => relative(root, file))
    .sort();
}

function isEntered({ file, functions }) {
  const run = functions.map(({ ranges: [range] }) => range).filter(({ count }) => count > 0);
  if (run.length === 0) return false;
  const text = readFileSync(file, 'utf8');
  return run.some(({ startOffset, endOffset }) => !ACCESSOR.test(text.slice(startOffset, endOffset)));
}
