/**
 * Runs the tests whose dependencies are available: everything, or each selected file once. Projects whose dependencies
 * are missing are skipped with a log line, or fail with REQUIRE_SERVICES=1. CONTRIBUTING.md#tests describes the
 * options; all others are for Jest.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { bin, ensureBuilt, ensureFilesBuilt, root } from './lib.mjs';
import { chooseWorkers, parseArguments } from './test/arguments.mjs';
import { listFaults, selectUsable } from './test/dependencies.cjs';
import { installOtherNodes } from './test/other-nodes.mjs';
import { planProjects } from './test/plan.mjs';
import { runAll } from './test/run-all.mjs';
import { groupIntoRuns, selectTier } from './test/tiers.mjs';
import { measureWaitFactor } from './test/wait-factor.mjs';

// The configuration and the tests read it.
if (process.argv.includes('--full')) process.env.TEST_FULL = '1';
// The configuration also sets the options of Node.js that Jest needs.
const config = createRequire(import.meta.url)('../jest.config.js');
const HOUR_MS = 3_600_000;
/** Projects that load the single files of the build only. Others also start bundles, or build what they need. */
const WITHOUT_BUNDLES = ['e2e-embedded', 'e2e-services', 'firefox'];
const WITHOUT_BUILD = ['unit', 'programs'];

const { request, projects } = planRequest();
if (projects.length === 0) fail(`No test file matches: ${process.argv.slice(2).join(' ')}`);

const missing = process.env.TEST_MISSING.split(',').filter(Boolean);
const select = (some) => (request.tier ? selectTier(some, request.tier, root) : some);
const available = select(selectUsable(projects, missing));
const faults = listFaults(select(projects), available, missing, root);
for (const { line } of faults) console.log(line);
if (process.env.REQUIRE_SERVICES === '1' && faults.some(({ isRequired }) => isRequired)) process.exit(1);
if (available.length === 0) process.exit(1);

const built = available.map(({ name }) => name).filter((name) => !WITHOUT_BUILD.includes(name));
if (built.some((name) => !WITHOUT_BUNDLES.includes(name))) ensureBuilt();
else if (built.length > 0) ensureFilesBuilt();
if (request.tier === 'all' || request.tier === 'full')
  process.env.TEST_NODE_BINARIES ??= [process.execPath, ...installOtherNodes(root)].join(':');
process.env.TEST_WAIT_FACTOR ??= String(await measureWaitFactor());
const workers = chooseWorkers(request, Number(process.env.TEST_WAIT_FACTOR));
console.log(`Waits are extended by the factor ${process.env.TEST_WAIT_FACTOR}, by the speed of this machine.`);
process.exit(request.isReported && !request.inspect ? await runAndReport() : runInTerminal());

function planRequest() {
  const names = config.projects.map(({ displayName }) => displayName);
  try {
    const parsed = parseArguments(process.argv.slice(2), names);
    return { request: parsed, projects: planProjects(config, root, parsed) };
  } catch (error) {
    return fail(error.message);
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function runAndReport() {
  const { jest, isInBand, tier, isRepeating, isRecording } = request;
  const args = [...(request.patterns ?? []), ...jest];
  const options = { args, isInBand, isTier: tier !== null, isRepeating, isRecording, cwd: root };
  return runAll(groupIntoRuns(available, workers), options);
}

/** Runs Jest with its own reporters, the keyboard and a debugger if requested. Returns its exit status. */
function runInTerminal() {
  const args = [...(request.patterns ?? []), ...request.jest, '--selectProjects', ...available.map(({ name }) => name)];
  const env = { ...process.env };
  if (request.inspect) {
    args.push('--runInBand', `--testTimeout=${HOUR_MS}`);
    env.TEST_TIMEOUT_MS = String(HOUR_MS);
  } else if (!request.isInBand) args.push(`--maxWorkers=${workers}`);
  const node = request.inspect ? [request.inspect] : [];
  const { status } = spawnSync(process.execPath, [...node, bin('jest'), ...args], { cwd: root, stdio: 'inherit', env });
  return status ?? 1;
}
