/**
 * Runs all suites whose dependencies are available. Suites without PostgreSQL, Redis or a browser are skipped with a
 * log line, or fail with REQUIRE_SERVICES=1. Passes its arguments to Jest.
 */
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
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
/**
 * Projects that run alone, because they measure latencies, or start several processes and verify the times of
 * docs/protocol/relay.md#failure-table.
 */
const alone = ['hostile'];
if (missing.length === 0) inParallel.push('e2e-services');
else reportSkipped(`the suites that need ${missing.join(' and ')}`, 'docker compose up -d postgres redis');

// The multi-instance tests start their own load balancer and their own Redis, which they stop and freeze.
const programs = ['haproxy', 'redis-server'].filter((name) => !isInstalled(name));
if (missing.length === 0 && programs.length === 0) alone.push('multi-instance');
else if (programs.length > 0) reportSkipped('the multi-instance suites', `install ${programs.join(' and ')}`);

// The browser tests use Debian's Chromium.
const chromium = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';
if (existsSync(chromium)) {
  inParallel.push('browser');
  if (missing.length === 0 && programs.length === 0) inParallel.push('browser-cluster');
} else reportSkipped(`the browser suites, which need ${chromium}`, 'install chromium');

// Only a few tests need Java's HTTP clients.
if (!isInstalled('java', '-version')) console.log("Skipped: tests with Java's HTTP clients, which need java.");

/** Reports skipped suites, or fails with REQUIRE_SERVICES=1. */
function reportSkipped(what, remedy) {
  console.log(`Skipped: ${what}. To run them: ${remedy}`);
  if (process.env.REQUIRE_SERVICES === '1') process.exit(1);
}

function isInstalled(program, flag = '-v') {
  const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  return spawnSync(program, [flag], { env: { ...process.env, PATH } }).status === 0;
}

ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'external-api-results-'));
const runs = [run(inParallel, 2), ...(alone.length > 0 ? [run(alone, 1)] : [])];
rmSync(folder, { recursive: true });

const total = (count) => runs.reduce((sum, { counts }) => sum + counts[count], 0);
const failed = total('numFailedTests') + total('numRuntimeErrorTestSuites');
const skipped = total('numPendingTests');
for (const failure of runs.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`);
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
  const counts = JSON.parse(readFileSync(report, 'utf8'));
  return { status, counts, failures: counts.testResults.flatMap(failuresOf) };
}

/** Returns the failed tests of a file, or the file if it couldn't run. They are printed at the end of the log. */
function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length > 0)
    return failed.map(({ fullName, failureMessages }) => describeFailure(name, fullName, failureMessages[0]));
  return status === 'failed' ? [describeFailure(name, 'the file', message)] : [];
}

function describeFailure(file, test, message = '') {
  const text = stripVTControlCharacters(message).split('\n', 6).join('\n  ');
  return `${file.slice(root.length + 1)}: ${test}\n  ${text}`;
}
