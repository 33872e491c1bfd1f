/** Runs every `check:…` of package.json, two at a time. Prints the output of each when it has finished. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, root } from './lib.mjs';

const AT_ONCE = 2;

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const waiting = Object.keys(scripts).filter((name) => name.startsWith('check:'));
// Builds once, so that concurrent checks don't build both.
ensureBuilt();
const failed = [];
await Promise.all(Array.from({ length: AT_ONCE }, workOff));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function workOff() {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const { status, output } = await run(name);
    console.log(`── ${name}: ${status === 0 ? 'passed' : 'failed'}${output.trim() ? `\n${output.trimEnd()}` : ''}`);
    if (status !== 0) failed.push(name);
  }
}

function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}
