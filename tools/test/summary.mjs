import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHOWN = 10;
/** A sleep of a test of a second or more, as a literal in ms. */
const LONG_SLEEP = /\bsleep\([1-9]\d?_?\d{3}\b/g;

/** Prints what took the most time: files by CPU time, slow tests, tests that were repeated, and long sleeps. */
export function printCosts(results, root) {
  if (results.length <= 1) return;
  const costliest = [...results].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, SHOWN);
  printList(
    'Most CPU time, with processes',
    costliest.map(({ cpuMs, ms, finished }) => `${formatSeconds(cpuMs)} of ${formatSeconds(ms)}  ${finished}`),
  );
  const slow = results.flatMap(({ path, slow: tests }) => tests.map(({ test, ms }) => ({ path, test, ms })));
  printList(
    'Slow tests',
    slow
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
      .map(({ path, test, ms }) => `${formatSeconds(ms)}  ${path}: ${test}`),
  );
  printList(
    'Repeated after a failure',
    results.flatMap(({ path, retried }) => retried.map((test) => `${path}: ${test}`)),
  );
  const paths = [...new Set(results.map(({ path }) => path))].sort();
  const sleeps = paths.flatMap((path) => {
    const count = [...readFileSync(join(root, path), 'utf8').matchAll(LONG_SLEEP)].length;
    return count > 0 ? [`${path}: ${count}`] : [];
  });
  printList('Sleeps of a second or more', sleeps);
}

/**
 * Prints the failures and the counts, which `.ci/run` reads, and returns the exit status.
 *
 * @param exceeded sentences of `findExceededBudgets`, each a failure
 */
export function printCounts(runs, results, exceeded) {
  const failures = [...runs.flatMap((run) => run.failures), ...exceeded];
  const total = (count) => results.reduce((sum, result) => sum + result[count], 0);
  const skipped = total('skipped');
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`${total('passed')} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return exceeded.length > 0 || runs.some(({ status }) => status !== 0) ? 1 : 0;
}

function printList(title, lines) {
  if (lines.length === 0) return;
  console.log(`${title}:`);
  for (const line of lines) console.log(`  ${line}`);
}

const formatSeconds = (ms) => `${(ms / 1_000).toFixed(1).padStart(6)} s`;
