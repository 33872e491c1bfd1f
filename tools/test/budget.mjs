/** A project may take this many times the CPU time of the committed run. */
const TOLERANCE = 1.5;
/** CPU time that a project may add in any case, since few short files vary more. */
const ALLOWANCE_MS = 20_000;
/**
 * The fixed computation of the test runner doesn't show all that slows a shared machine, such as a contended memory.
 * The files of the other projects do. They may explain this many times what the computation explains.
 */
const MAX_UNEXPLAINED = 1.5;

/**
 * Compares the CPU time of each project with that of the committed run, for the files that both have.
 *
 * @param results of `runJest`
 * @param committed of `Durations`
 * @returns a sentence for each project that is over its budget by half
 */
export function findExceededBudgets(results, committed) {
  const known = results
    .map((result) => ({ ...result, budgetMs: committed.files[result.finished]?.[1] }))
    .filter(({ budgetMs }) => budgetMs !== undefined);
  return [...new Set(known.map(({ project }) => project))].flatMap((project) => {
    const files = known.filter((file) => file.project === project);
    const others = known.filter((file) => file.project !== project);
    const othersSlowdown = computeMedian(others.map(({ cpuMs, budgetMs }) => cpuMs / budgetMs)) ?? 1;
    const computeScale = ({ unitMs }) => {
      const slowdown = Math.max(1, unitMs / (committed.unitMs ?? unitMs));
      return Math.min(Math.max(slowdown, othersSlowdown), slowdown * MAX_UNEXPLAINED);
    };
    const used = sum(files.map(({ cpuMs }) => cpuMs));
    const budget = sum(files.map((file) => file.budgetMs * computeScale(file)));
    const allowance = (ALLOWANCE_MS * sum(files.map(computeScale))) / files.length;
    if (used <= budget * TOLERANCE + allowance) return [];
    const [usedSeconds, budgetSeconds] = [used, budget].map((ms) => Math.round(ms / 1_000));
    const advice = 'Make them cheaper, or run npm run test:all -- --record';
    return [`${project}: its files took ${usedSeconds} s of CPU time instead of ${budgetSeconds} s\n  ${advice}`];
  });
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** Returns undefined for no numbers. */
const computeMedian = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
