/**
 * Applies mutants, small faults, to a copy of the repository, one at a time, and runs the tests that should notice each
 * (docs/mutants.md).
 *
 *   npm run test:mutants -- [--area AREA …] [--only ID …] [--list] [--check]
 */
import { parseArgs } from 'node:util';
import { ensureFilesBuilt } from './lib.mjs';
import { findProblems, loadMutants } from './mutants/catalog.mjs';
import { WorkingCopy } from './mutants/working-copy.mjs';

const AT_ONCE = 2;
const SUITE_LIMIT_MS = 180_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    area: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    check: { type: 'boolean' },
  },
});
const all = await loadMutants();
const mutants = selectMutants();
const problems = findProblems(all);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
if (options.list)
  for (const { area, id, breaks } of mutants) console.log(`${area.padEnd(12)} ${id.padEnd(4)} ${breaks}`);
if (options.check) console.log(`${all.length} mutants apply`);
if (options.list || options.check) process.exit(0);

ensureFilesBuilt();
const copies = Array.from({ length: AT_ONCE }, () => new WorkingCopy());
process.once('exit', () => copies.forEach((copy) => copy.remove()));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const baseline = await runBaseline();
const results = [];
await forEachInCopies(mutants, async (mutant, copy) => {
  const startedAt = performance.now();
  const result = await testMutant(mutant, copy);
  results.push({ mutant, ...result });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const detail = result.detail ? `: ${result.detail}` : '';
  console.log(`[${results.length}/${mutants.length}] ${mutant.id} ${result.verdict} (${seconds} s)${detail}`);
});
process.exitCode = reportResults() ? 0 : 1;

function selectMutants() {
  const { area, only = [] } = options;
  const ids = [...only, ...(area === undefined ? positionals : [])];
  const areas = area && [...area, ...positionals];
  const unknown = [
    ...ids.filter((id) => !all.some((mutant) => mutant.id === id)),
    ...(areas ?? []).filter((name) => !all.some((mutant) => mutant.area === name)),
  ];
  if (unknown.length > 0) {
    console.error(`No mutant or area ${unknown.join(', ')}. Run with --list to see all.`);
    process.exit(1);
  }
  return all.filter(({ area: name, id }) => (areas?.includes(name) ?? true) && (ids.length === 0 || ids.includes(id)));
}

/** Runs all suites without a mutant. A suite that fails by itself would catch every mutant. */
async function runBaseline() {
  const suites = [...new Set(mutants.flatMap((mutant) => mutant.suites))];
  console.log(`Running ${suites.length} suites without a mutant ...`);
  const runs = new Map();
  await forEachInCopies(suites, async (suite, copy) => {
    const run = await copy.runSuite(suite, SUITE_LIMIT_MS);
    runs.set(suite, run);
    if (['passed', 'skipped'].includes(run.state)) return;
    console.error(`${suite} ${run.state} without a mutant:\n${run.output}`);
    process.exitCode = 1;
  });
  if (process.exitCode === 1) process.exit();
  return runs;
}

async function testMutant(mutant, copy) {
  copy.applyMutant(mutant);
  try {
    for (const suite of mutant.suites) {
      const run = await copy.runSuite(suite, SUITE_LIMIT_MS);
      if (run.state === 'failed') return { verdict: 'caught', detail: run.firstFailure };
      if (run.state === 'timed out') return { verdict: mutant.hangs ? 'caught' : 'survived', detail: 'timed out' };
      // A mutant that does not even load says nothing about the tests.
      if (run.state === 'crashed') return { verdict: 'invalid', detail: run.output.slice(0, 1_000) };
    }
  } finally {
    copy.revertMutant(mutant);
  }
  const hasSkippedTests = mutant.suites.some((suite) => {
    const run = baseline.get(suite);
    return run.state === 'skipped' || run.hasSkippedTests;
  });
  if (hasSkippedTests) return { verdict: 'not tested', detail: 'PostgreSQL or Redis is missing' };
  return { verdict: 'survived', detail: mutant.survives && `expected: ${mutant.survives}` };
}

/** Prints the score by area and the survivors. Returns whether the run succeeded. */
function reportResults() {
  const count = (verdict, of) => of.filter((result) => result.verdict === verdict).length;
  for (const area of new Set(results.map(({ mutant }) => mutant.area))) {
    const own = results.filter(({ mutant }) => mutant.area === area);
    console.log(`${area.padEnd(12)} ${count('caught', own)}/${own.length}`);
  }
  for (const { mutant, verdict, detail } of results.filter((result) => result.verdict !== 'caught')) {
    console.log(`${verdict}: ${mutant.id} in ${mutant.file}. ${mutant.breaks}${detail ? ` (${detail})` : ''}`);
  }
  const scored = results.filter(({ mutant, verdict }) => verdict !== 'not tested' && !mutant.survives);
  const score = scored.length === 0 ? 0 : (count('caught', scored) / scored.length) * 100;
  console.log(`${count('caught', scored)} of ${scored.length} mutants caught: ${score.toFixed(1)} %`);
  const hasUntested = process.env.REQUIRE_SERVICES === '1' && count('not tested', results) > 0;
  return count('caught', scored) === scored.length && !hasUntested;
}

/** Runs the work for each item, at most one at a time in each copy. */
async function forEachInCopies(items, work) {
  const waiting = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = waiting.shift(); item; item = waiting.shift()) await work(item, copy);
    }),
  );
}
