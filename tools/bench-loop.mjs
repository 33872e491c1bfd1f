/**
 * Measures the inner loop of a developer and prints a Markdown table: `npm run bench:loop`. Words select rows by their
 * name (`npm run bench:loop -- build listening`), and `--all` adds the whole of `npm test`. Stop other programs first.
 * Cheap figures are medians of three runs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureBuilt, root } from './lib.mjs';

const EDITED_FILE = join(root, 'src', 'bootstrap.ts');
const E2E_FILE = 'test/e2e/sessions/create.spec.ts';
const PORT = 34_871;

const includesTests = process.argv.includes('--all');
const words = process.argv.slice(2).filter((word) => word !== '--all');
const original = readFileSync(EDITED_FILE, 'utf8');
const restore = () => writeFileSync(EDITED_FILE, original);
process.once('exit', restore);
process.once('SIGINT', () => process.exit(130));

console.log(`Node ${process.version}, ${cpus().length} cores, load before: ${loadavg()[0].toFixed(1)}\n`);
console.log('| Loop | Seconds |\n| --- | ---: |');
try {
  await report('build, cold', 3, build, deleteBuild);
  await report('build, after one edit', 3, build, edit);
  await report('build, no change', 3, build);
  await report('npm run check, cold', 1, () => run('npm', ['run', 'check']), deleteCaches);
  await report('npm run check, warm', 3, () => run('npm', ['run', 'check']));
  await report('npm run check, after one edit', 1, () => run('npm', ['run', 'check']), edit);
} finally {
  restore();
}
ensureBuilt();
await report('unit project', 1, () => jest('unit', []));
await report('one e2e file, embedded', 3, () => jest('e2e-embedded', [E2E_FILE]));
await report('one e2e file, services', 3, () => jest('e2e-services', [E2E_FILE]));
const dataDir = mkdtempSync(join(tmpdir(), 'external-api-bench-loop-'));
try {
  await report('npm start to listening, new data folder', 1, start);
  await report('npm start to listening', 3, start);
} finally {
  rmSync(dataDir, { recursive: true });
}
if (includesTests) await report('npm test', 1, () => run('npm', ['test']));

/** Prints the median of the seconds that an action takes. The preparation doesn't count. */
async function report(name, times, action, prepare = () => undefined) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) return;
  const seconds = [];
  for (let i = 0; i < times; i += 1) {
    prepare();
    const startedAt = performance.now();
    const stop = await action();
    seconds.push((performance.now() - startedAt) / 1_000);
    await stop?.();
  }
  const median = seconds.sort((a, b) => a - b)[Math.floor(times / 2)];
  console.log(`| ${name} | ${median.toFixed(1)} |`);
}

function build() {
  run('npm', ['run', 'build']);
}

function deleteBuild() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
}

function deleteCaches() {
  deleteBuild();
  rmSync(join(root, 'node_modules', '.cache'), { recursive: true, force: true });
}

function edit() {
  appendFileSync(EDITED_FILE, '// Edited.\n');
}

function jest(project, files) {
  run(process.execPath, [
    ...['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules', 'jest', 'bin', 'jest.js')],
    ...['--selectProjects', project, '--maxWorkers=2', '--', ...files],
  ]);
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Waits until the service listens. Returns a function that stops it. */
async function start() {
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(PORT) };
  const service = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.includes('"listening"')) break;
  }
  service.stdout.resume();
  if (service.exitCode !== null) throw new Error('the service did not start');
  return async () => {
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    await exited;
  };
}
