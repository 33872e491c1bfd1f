/**
 * All suites that this machine can run. What needs PostgreSQL, Redis or a browser and finds none is left out with a
 * line that says so; with REQUIRE_SERVICES=1 leaving out is a failure. Arguments go to jest.
 */
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, ensureBuilt, root } from './lib.mjs';

const postgres = new URL(process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test');
const redis = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');

function answers(url, fallbackPort) {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || fallbackPort), timeout: 1_000 });
    const done = (up) => {
      socket.destroy();
      resolve(up);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}

const missing = [
  ...((await answers(postgres, 5432)) ? [] : [`PostgreSQL at ${postgres.host}`]),
  ...((await answers(redis, 6379)) ? [] : [`Redis at ${redis.host}`]),
];
const inParallel = ['unit', 'e2e-embedded', 'medium'];
/** These start several processes each; some hold answers against the seconds that relay.md allows. */
const alone = [];
if (missing.length === 0) inParallel.push('e2e-services');
else leftOut(`the suites that need ${missing.join(' and ')}`, 'docker compose up -d postgres redis');

// The multi-instance tests end and freeze a Redis of their own, behind a load balancer of their own.
const programs = ['haproxy', 'redis-server'].filter((name) => !isInstalled(name));
if (missing.length === 0 && programs.length === 0) alone.push('multi-instance');
else if (programs.length > 0) leftOut('the multi-instance suites', `install ${programs.join(' and ')}`);

// The browser tests drive Debian's chromium.
const chromium = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';
if (existsSync(chromium)) {
  inParallel.push('browser');
  if (missing.length === 0 && programs.length === 0) inParallel.push('browser-cluster');
} else leftOut(`the browser suites, which need ${chromium}`, 'install chromium');

/** With REQUIRE_SERVICES=1 nothing may be. */
function leftOut(what, remedy) {
  console.log(`Left out: ${what}. To run them: ${remedy}`);
  if (process.env.REQUIRE_SERVICES === '1') process.exit(1);
}

function isInstalled(program) {
  const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  return spawnSync(program, ['-v'], { env: { ...process.env, PATH } }).status === 0;
}

ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'external-api-results-'));
const runs = [run(inParallel, 2), ...(alone.length > 0 ? [run(alone, 1)] : [])];
rmSync(folder, { recursive: true });

const total = (count) => runs.reduce((sum, { counts }) => sum + counts[count], 0);
const failed = total('numFailedTests') + total('numRuntimeErrorTestSuites');
const skipped = total('numPendingTests');
console.log(`${total('numPassedTests')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(runs.find(({ status }) => status !== 0) ? 1 : 0);

function run(projects, workers) {
  const report = join(folder, `${projects.join('-')}.json`);
  const { status } = spawnSync(
    bin('jest'),
    [
      ...['--selectProjects', ...projects],
      ...['--json', `--outputFile=${report}`],
      `--maxWorkers=${workers}`,
      ...['--passWithNoTests', ...process.argv.slice(2)],
    ],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    },
  );
  return { status, counts: JSON.parse(readFileSync(report, 'utf8')) };
}
