import { Durations } from './durations.mjs';
import { runJest } from './run-jest.mjs';

const SLOWEST = 10;

/**
 * Runs the projects one group after another, prints the summary, and returns the exit status. A group runs also if an
 * earlier one failed or crashed.
 *
 * @param groups Jest runs: `projects` with their files, `workers`, and optionally `env` in addition to the own one
 * @param options of `runJest`; `args`: more arguments for Jest; `isInBand`: whether they exclude workers
 */
export async function runAll(groups, { args = [], isInBand = false, ...options }) {
  const durations = new Durations(options.cwd);
  const startedAt = Date.now();
  const plans = createPlans(groups, durations, startedAt);
  printStart(groups, plans[0]);

  const runs = [];
  for (const [index, { projects, workers, env }] of groups.entries()) {
    const selection = ['--selectProjects', ...projects.map(({ name }) => name), '--passWithNoTests'];
    if (!isInBand) selection.push(`--maxWorkers=${workers}`);
    runs.push(await runJest([...args, ...selection], plans[index], { ...options, env }));
    if (runs.at(-1).isInterrupted) break;
  }
  const results = runs.flatMap((run) => run.results);
  durations.save(results);
  printSlowest(results);
  return printCounts(runs, results);
}

/** Returns what the reporter of each run must know of the other runs. */
function createPlans(groups, durations, startedAt) {
  const plans = groups.map(({ projects, workers }) => ({
    startedAt,
    workers,
    expectedMs: Object.assign({}, ...projects.map(({ name, files }) => durations.estimate(name, files))),
  }));
  const countFiles = (some) => some.reduce((sum, { expectedMs }) => sum + Object.keys(expectedMs).length, 0);
  return plans.map((plan, index) => ({
    ...plan,
    filesBefore: countFiles(plans.slice(0, index)),
    filesAfter: countFiles(plans.slice(index + 1)),
    msAfter: plans.slice(index + 1).reduce((sum, later) => sum + estimateMs(later), 0),
  }));
}

const estimateMs = ({ expectedMs, workers }) => Object.values(expectedMs).reduce((sum, ms) => sum + ms, 0) / workers;

function printStart(groups, first) {
  const projects = groups.flatMap((group) => group.projects);
  const files = projects.reduce((sum, project) => sum + project.files.length, 0);
  const seconds = Math.round((estimateMs(first) + first.msAfter) / 1_000);
  const duration = seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const estimate = seconds > 0 ? `, about ${duration}` : '';
  const counts = projects.map((project) => `${project.name} ${project.files.length}`).join(', ');
  console.log(`Running ${files} ${files === 1 ? 'file' : 'files'}${estimate}: ${counts}`);
}

function printSlowest(results) {
  if (results.length <= 1) return;
  console.log('Slowest files:');
  for (const { finished, ms } of [...results].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${finished}`);
}

/** Prints the failures and the counts. `.ci/run` reads both. */
function printCounts(runs, results) {
  const failures = runs.flatMap((run) => run.failures);
  const total = (count) => results.reduce((sum, result) => sum + result[count], 0);
  const skipped = total('skipped');
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`${total('passed')} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return runs.some(({ status }) => status !== 0) ? 1 : 0;
}
