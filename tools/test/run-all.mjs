import { findExceededBudgets } from './budget.mjs';
import { Durations } from './durations.mjs';
import { runJest } from './run-jest.mjs';
import { printCosts, printCounts } from './summary.mjs';

/**
 * Runs the projects one group after another, prints the summary, and returns the exit status. A group runs also if an
 * earlier one failed or crashed.
 *
 * @param groups Jest runs: `projects` with their files, and `workers`
 * @param options of `runJest`; `args`: more arguments for Jest; `isInBand`: whether they exclude workers; `isTier`:
 *   whether the files are those of a tier, whose projects have budgets; `isRecording`: whether to replace the budgets
 */
export async function runAll(groups, { args = [], isInBand = false, isTier = false, isRecording = false, ...options }) {
  const durations = new Durations(options.cwd);
  const startedAt = Date.now();
  const plans = createPlans(groups, durations, startedAt);
  printStart(groups, plans[0]);

  const runs = [];
  for (const [index, { projects, workers }] of groups.entries()) {
    const selection = ['--selectProjects', ...projects.map(({ name }) => name), '--passWithNoTests'];
    if (!isInBand) selection.push(`--maxWorkers=${workers}`);
    runs.push(await runJest([...args, ...selection], plans[index], options));
    if (runs.at(-1).isInterrupted) break;
  }
  const results = runs.flatMap((run) => run.results);
  durations.save(results);
  if (isRecording) durations.record(results);
  printCosts(results, options.cwd);
  const exceeded = isTier && !isRecording ? findExceededBudgets(results, durations.committed) : [];
  return printCounts(runs, results, exceeded);
}

/** Returns what the reporter of each run must know of the other runs. */
function createPlans(groups, durations, startedAt) {
  const plans = groups.map(({ projects, workers }) => ({
    startedAt,
    workers,
    files: Object.fromEntries(projects.map(({ name, files }) => [name, files])),
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
