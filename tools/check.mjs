/**
 * Runs every `check:…` of package.json, or those that the arguments name, two at a time. Prints the output of each when
 * it has finished.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensureFilesBuilt, root } from './lib.mjs';

const AT_ONCE = 2;
/** These start first, so that no core is idle at the end. The first one uses a single core. */
const LONGEST = ['check:generated', 'check:types', 'check:lint', 'check:regular-expressions', 'check:architecture'];
/** A check that takes longer hangs. The slowest takes two minutes on a busy machine. */
const LIMIT_MS = 10 * 60_000;

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const known = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const requested = process.argv.slice(2).map((name) => `check:${name}`);
const unknown = requested.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}
const waiting = (requested.length > 0 ? requested : known).sort((a, b) => rankOf(a) - rankOf(b));
// Builds once, so that concurrent checks don't build both.
ensureFilesBuilt();
const failed = [];
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => exitBySignal(signal));
await Promise.all(Array.from({ length: AT_ONCE }, workOff));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

function rankOf(name) {
  const index = LONGEST.indexOf(name);
  return index === -1 ? LONGEST.length : index;
}

async function workOff() {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const { status, output } = await runTwiceIfHanging(name);
    console.log(`── ${name}: ${status === 0 ? 'passed' : 'failed'}${output.trim() ? `\n${output.trimEnd()}` : ''}`);
    if (status !== 0) failed.push(name);
  }
}

/** A process that hangs at its start or end says nothing about what it checks, but nobody should wait for it. */
async function runTwiceIfHanging(name) {
  const first = await run(name);
  if (!first.isHanging) return first;
  console.log(`── ${name}: killed after ${LIMIT_MS / 60_000} minutes, runs again\n${first.output.trimEnd()}`);
  return run(name);
}

function run(name) {
  // As npm runs them, without its start of a third of a second for each.
  const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}` };
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: true, env };
  const child = spawn(scripts[name], options);
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  let isHanging = false;
  const limit = setTimeout(() => {
    isHanging = true;
    killWithChildren(child);
  }, LIMIT_MS);
  return new Promise((resolve) =>
    child.on('close', (status) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ status, output, isHanging });
    }),
  );
}

function exitBySignal(signal) {
  for (const child of running) killWithChildren(child);
  process.exit(128 + constants.signals[signal]);
}

/** Each check is a process group of its own, since npm and its shell do not end with what they run. */
function killWithChildren(child) {
  process.kill(-child.pid, 'SIGKILL');
}
