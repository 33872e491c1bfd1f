/**
 * Measures the inner loop of a developer and prints a Markdown table: `npm run bench:loop`. Words select rows by their
 * name (`npm run bench:loop -- build listening`), and `--all` adds the tests and `.ci/run`, which take an hour. Stop
 * other programs first. Cheap figures are medians of three runs. Starts on PostgreSQL use a new database there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { ensureBuilt, root } from './lib.mjs';

const require = createRequire(import.meta.url);
require('./typescript.cjs');

const EDITED_FILE = join(root, 'src', 'bootstrap.ts');
const E2E_FILE = 'test/e2e/sessions/create.spec.ts';
const PORT = 34_871;
const SERVICE = [process.execPath, join(root, 'dist', 'programs', 'service.js')];
const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
const POSTGRES_START = 'start on PostgreSQL, CPU';
/** Goals in seconds, on two idle cores. */
const GOALS = {
  'build, cold': 6,
  'build, after one edit': 2,
  'npm run check, cold': 45,
  'npm run check, no change': 15,
  'unit project': 10,
  'one e2e file, embedded': 4,
  'one e2e file, services': 3,
  'npm start to listening': 1.5,
  [POSTGRES_START]: 0.9,
  'start on a new embedded database, CPU': 2,
  'npm test': 480,
  'npm test without services': 240,
  'npm run test:all': 1_080,
  '.ci/run': 720,
};
/** Addresses and programs that are not there. */
const WITHOUT_SERVICES = {
  TEST_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  TEST_REDIS_URL: 'redis://127.0.0.1:1',
  TEST_CHROMIUM: '/none',
  TEST_FIREFOX: '/none',
};

const includesTests = process.argv.includes('--all');
const words = process.argv.slice(2).filter((word) => word !== '--all');
const original = readFileSync(EDITED_FILE, 'utf8');
const restore = () => writeFileSync(EDITED_FILE, original);
process.once('exit', restore);
process.once('SIGINT', () => process.exit(130));

console.log(`Node ${process.version}, ${cpus().length} cores, load before: ${loadavg()[0].toFixed(1)}\n`);
console.log('| Step | Seconds | Goal |\n| --- | ---: | ---: |');
try {
  await report('build, cold', 3, build, deleteBuild);
  await report('build, after one edit', 3, build, edit);
  await report('build, no change', 3, build);
  await report('npm run check, cold', 1, () => run('npm', ['run', 'check']), deleteCaches);
  await report('npm run check, no change', 3, () => run('npm', ['run', 'check']));
  await report('npm run check, after one edit', 1, () => run('npm', ['run', 'check']), edit);
} finally {
  restore();
}
ensureBuilt();
await report('unit project', 1, () => jest('unit', []));
await report('one e2e file, embedded', 3, () => jest('e2e-embedded', [E2E_FILE]));
await report('one e2e file, services', 3, () => jest('e2e-services', [E2E_FILE]));
const folder = mkdtempSync(join(tmpdir(), 'external-api-bench-loop-'));
const dataDir = join(folder, 'data');
try {
  await report('npm start to listening, new data folder', 1, () => start(['npm', 'start'], { DATA_DIR: dataDir }));
  await report('npm start to listening', 3, () => start(['npm', 'start'], { DATA_DIR: dataDir }));
  let starts = 0;
  const newFolder = () => ({ DATA_DIR: join(folder, String((starts += 1))) });
  await report('start on a new embedded database, CPU', 5, () => start(SERVICE, newFolder()), undefined, 'cpu');
  await report('start on the embedded database, CPU', 5, () => start(SERVICE, { DATA_DIR: dataDir }), undefined, 'cpu');
} finally {
  rmSync(folder, { recursive: true });
}
if (isSelected(POSTGRES_START)) await reportPostgresStart();
if (includesTests) {
  await report('npm test', 1, () => run('npm', ['test']));
  await report('npm test without services', 1, () => run('npm', ['test'], WITHOUT_SERVICES));
  await report('npm run test:all', 1, () => run('npm', ['run', 'test:all']));
  await report('.ci/run', 1, () => run('bash', ['.ci/run']));
}

/**
 * Prints the median of the seconds that an action takes, or of the CPU seconds that it returns. The preparation doesn't
 * count. A step that fails leaves the others to be measured.
 */
async function report(name, times, action, prepare = () => undefined, figure = 'time') {
  if (!isSelected(name)) return;
  const seconds = [];
  let failure = '';
  for (let i = 0; i < times && !failure; i += 1) {
    prepare();
    const startedAt = performance.now();
    const started = await (async () => action())().catch((error) => void (failure = error.message));
    seconds.push((figure === 'cpu' && started?.cpuSeconds) || (performance.now() - startedAt) / 1_000);
    await started?.stop();
  }
  const median = seconds.sort((a, b) => a - b)[Math.floor(seconds.length / 2)];
  console.log(`| ${name} | ${median.toFixed(2)}${failure && ' (failed)'} | ${GOALS[name] ?? ''} |`);
  if (failure) console.error(failure);
}

function isSelected(name) {
  return words.length === 0 || words.some((word) => name.includes(word));
}

async function reportPostgresStart() {
  const database = `external_api_bench_loop_${process.pid}`;
  try {
    await runAdminStatement(`CREATE DATABASE ${database}`);
  } catch (error) {
    console.log(`| ${POSTGRES_START} | no PostgreSQL | ${GOALS[POSTGRES_START]} |`);
    console.error(error.message);
    return;
  }
  const env = {
    DATABASE_URL: Object.assign(new URL(POSTGRES_URL), { pathname: `/${database}` }).href,
    APP_SECRET: 'an application secret of the benchmark',
    GRANT_KEYS: require('../test/support/grant-keys.ts').TEST_GRANT_KEYS,
  };
  try {
    // The first start migrates.
    await (await start(SERVICE, env)).stop();
    await report(POSTGRES_START, 5, () => start(SERVICE, env), undefined, 'cpu');
  } finally {
    await runAdminStatement(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

async function runAdminStatement(sql) {
  const client = new Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
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

function run(command, args, env = {}) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1e9, env: { ...process.env, ...env } };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout.slice(-5_000)}${stderr.slice(-5_000)}`);
}

/** Waits until the service listens. Returns its CPU time, on Linux, and a function that stops it. */
async function start([command, ...args], env) {
  const options = {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(PORT) },
    stdio: ['ignore', 'pipe', 'inherit'],
  };
  const service = spawn(command, args, options);
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.includes('"listening"')) break;
  }
  service.stdout.resume();
  if (service.exitCode !== null) throw new Error('the service did not start');
  const stop = async () => {
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    await exited;
  };
  return { stop, cpuSeconds: readCpuSeconds(service.pid) };
}

function readCpuSeconds(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
