import { findExceededBudgets } from './budget.mjs';
import { Durations } from './durations.mjs';
import { runJest } from './run-jest.mjs';
import { printCosts, printCounts } from './summary.mjs';

/** With more failed files, something is broken, and a second run of them only takes time. */
const MAX_REPEATED = 10;

/**
 * Runs the projects one group after another, prints the summary, and returns the exit status. A group runs also if an
 * earlier one failed or crashed. Files that failed can run a second time at the end, one at a time.
 *
 * @param groups Jest runs: `projects` with their files, and `workers`
 * @param options of `runJest`; `args`: more arguments for Jest; `isInBand`: whether they exclude workers; `isTier`:
 *   whether the files are those of a tier, whose projects have budgets; `isRepeating`: whether failed files run a
 *   second time; `isRecording`: whether to replace the budgets
 */
export async function runAll(groups, options) {
  const { args = [], isInBand, isTier, isRepeating, isRecording, ...jestOptions } = options;
  const durations = new Durations(options.cwd);
  const startedAt = Date.now();
  const describeGroup = (group) => ({ ...group, expectedMs: estimateFiles(group, durations) });
  const runGroup = ({ projects, workers, expectedMs }, filesBefore, after) => {
    const selection = ['--selectProjects', ...projects.map(({ name }) => name), '--passWithNoTests'];
    if (!isInBand) selection.push(`--maxWorkers=${workers}`);
    const files = Object.fromEntries(projects.map(({ name, files: paths }) => [name, paths]));
    const plan = { startedAt, workers, files, expectedMs, filesBefore, ...describeRest(after) };
    return runJest([...args, ...selection], plan, jestOptions);
  };

  const waiting = groups.map(describeGroup);
  printStart(waiting);
  const runs = [];
  while (waiting.length > 0 && !runs.at(-1)?.isInterrupted) {
    const group = waiting.shift();
    const filesBefore = runs.reduce((sum, { results }) => sum + results.length, 0);
    const run = await runGroup(group, filesBefore, waiting);
    runs.push(run);
    // A file that hangs ends Jest, but not the run of the others.
    if (run.unstarted.length > 0)
      waiting.unshift(describeGroup({ projects: groupByProject(run.unstarted), workers: group.workers }));
  }
  const results = runs.flatMap((run) => run.results);
  durations.save(results);
  if (isRecording) durations.record(results);
  printCosts(results, options.cwd);
  const exceeded = isTier && !isRecording ? findExceededBudgets(results, durations.committed) : [];

  const failed = isRepeating && !runs.at(-1)?.isInterrupted ? listFailedFiles(runs) : [];
  const repetition =
    failed.length > 0 ? await runGroup(describeGroup({ projects: groupByProject(failed), workers: 1 }), 0, []) : null;
  return printCounts(runs, repetition, exceeded);
}

/** Returns the files that failed, to run a second time, or none if there are too many. */
function listFailedFiles(runs) {
  const names = [...new Set(runs.flatMap(({ failures }) => failures.flatMap(({ file }) => file ?? [])))];
  if (names.length === 0) return [];
  if (names.length > MAX_REPEATED) {
    console.log(`${names.length} files failed. At most ${MAX_REPEATED} run a second time.`);
    return [];
  }
  console.log(`Running a second time, one at a time: ${names.join(', ')}`);
  return names;
}

/** Groups the names of files, each a project and a path. */
export function groupByProject(names) {
  const files = names.map((name) => name.split(/ (.*)/s));
  const projects = [...new Set(files.map(([project]) => project))];
  return projects.map((name) => ({
    name,
    files: files.filter(([project]) => project === name).map(([, path]) => path),
  }));
}

/** Returns the expected duration of each file of a group. */
const estimateFiles = ({ projects }, durations) =>
  Object.assign({}, ...projects.map(({ name, files }) => durations.estimate(name, files)));
const estimateMs = ({ expectedMs, workers }) => Object.values(expectedMs).reduce((sum, ms) => sum + ms, 0) / workers;
const estimateAllMs = (groups) => groups.reduce((sum, group) => sum + estimateMs(group), 0);
const countFiles = (groups) => groups.reduce((sum, { expectedMs }) => sum + Object.keys(expectedMs).length, 0);
const describeRest = (groups) => ({ filesAfter: countFiles(groups), msAfter: estimateAllMs(groups) });

function printStart(groups) {
  const files = countFiles(groups);
  const seconds = Math.round(estimateAllMs(groups) / 1_000);
  const duration = seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const estimate = seconds > 0 ? `, about ${duration}` : '';
  const counts = groups.flatMap(({ projects }) => projects.map((project) => `${project.name} ${project.files.length}`));
  console.log(`Running ${files} ${files === 1 ? 'file' : 'files'}${estimate}: ${counts.join(', ')}`);
}
