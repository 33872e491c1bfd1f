/**
 * Applies mutants, small faults, to a copy of the repository, one at a time, and runs the tests that should notice each
 * (docs/mutants.md).
 *
 *   npm run test:mutants -- [--area AREA …] [--only ID …] [--list] [--check]
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { ensureFilesBuilt } from './lib.mjs';
import { findProblems, loadMutants } from './mutants/catalog.mjs';
import { WorkingCopy } from './mutants/working-copy.mjs';
import { measureWaitFactor } from './test/wait-factor.mjs';

const { WHOLE_FILE } = createRequire(import.meta.url)('./test/reporter.cjs');
const AT_ONCE = 2;

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
process.env.TEST_WAIT_FACTOR ??= String(await measureWaitFactor());
const copies = Array.from({ length: AT_ONCE }, () => new WorkingCopy());
process.once('exit', () => copies.forEach((copy) => copy.remove()));
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isInterrupted = true));

const baseline = await runBaseline();
const results = [];
await forEachInCopies(mutants, async (mutant, copy) => {
  const startedAt = performance.now();
  const result = await testMutant(mutant, copy);
  if (isInterrupted) return;
  results.push({ mutant, ...result });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const detail = result.detail ? `: ${result.detail}` : '';
  console.log(`[${results.length}/${mutants.length}] ${mutant.id} ${result.verdict} (${seconds} s)${detail}`);
});
if (isInterrupted) process.exit(130);
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

/**
 * Runs all suites without a mutant. A suite that fails by itself would catch every mutant. Returns whether tests were
 * skipped, by suite.
 */
async function runBaseline() {
  const suites = [...new Set(mutants.flatMap((mutant) => mutant.suites))];
  console.log(`Running ${suites.length} suites without a mutant ...`);
  const run = await copies[0].runSuites(suites, { workers: AT_ONCE, output: 'inherit' });
  for (const { text } of run.failures) console.error(`Fails without a mutant: ${text}`);
  if (run.failures.length > 0 || run.isInterrupted) process.exit(1);
  return new Map(run.results.map(({ finished, skipped }) => [finished, skipped > 0]));
}

async function testMutant(mutant, copy) {
  copy.applyMutant(mutant);
  try {
    for (const suite of mutant.suites) {
      const {
        results: [result],
        failures: [failure],
      } = await copy.runSuites([suite], { env: { TEST_STOP_AT_FAILURE: '1' } });
      if (!failure) continue;
      if (!result && failure.file) return { verdict: mutant.hangs ? 'caught' : 'survived', detail: 'timed out' };
      const [{ test }] = result?.failures ?? [{}];
      // A mutant that does not even load says nothing about the tests.
      if (!test || test === WHOLE_FILE) return { verdict: 'invalid', detail: failure.text.slice(0, 1_000) };
      return { verdict: 'caught', detail: test };
    }
  } finally {
    copy.revertMutant(mutant);
  }
  if (mutant.suites.some((suite) => baseline.get(suite)))
    return { verdict: 'not tested', detail: 'PostgreSQL or Redis is missing' };
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
      for (let item = waiting.shift(); item && !isInterrupted; item = waiting.shift()) await work(item, copy);
    }),
  );
}
