import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHOWN = 10;
/** More flaky files than these fail the run. */
const MAX_FLAKY_FILES = 5;
/** A sleep of a test of a second or more, as a literal in ms. */
const LONG_SLEEP = /\bsleep\([1-9]\d?_?\d{3}\b/g;

/** Prints what took the most time: files by CPU time, slow tests, and long sleeps. */
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
  const paths = [...new Set(results.map(({ path }) => path))].sort();
  const sleeps = paths.flatMap((path) => {
    const count = [...readFileSync(join(root, path), 'utf8').matchAll(LONG_SLEEP)].length;
    return count > 0 ? [`${path}: ${count}`] : [];
  });
  printList('Sleeps of a second or more', sleeps);
}

/**
 * Prints the failures and the counts, which `.ci/run` reads, and returns the exit status. What failed in one of the
 * runs and passes in the repetition is flaky: it is printed and doesn't fail the run, unless more than five files are.
 *
 * @param runs results of `runJest`
 * @param repetition result of the second run of failed files, or null
 * @param exceeded sentences of `findExceededBudgets`, each a failure
 */
export function printCounts(runs, repetition, exceeded) {
  const repeated = new Set(repetition?.results.map(({ finished }) => finished));
  const failedAgain = new Set(repetition?.failures.map(({ file }) => file));
  const isFlaky = ({ file }) => repeated.has(file) && !failedAgain.has(file);
  const first = runs.flatMap((run) => run.failures);
  const flaky = first.filter(isFlaky);
  const flakyFiles = new Set(flaky.map(({ file }) => file)).size;
  const failures = [...first.filter((failure) => !isFlaky(failure)).map(({ text }) => text), ...exceeded];
  if (flakyFiles > MAX_FLAKY_FILES) failures.push(`${flakyFiles} files are flaky, more than ${MAX_FLAKY_FILES}`);

  for (const { text } of flaky)
    console.log(
      `flaky: ${text
        .split('\n', 2)
        .map((line) => line.trim())
        .join(': ')}`,
    );
  for (const failure of failures) console.log(`failed: ${failure}`);
  if (flakyFiles > 0) console.log(`${flakyFiles} flaky ${flakyFiles === 1 ? 'file' : 'files'}`);
  const results = [
    ...runs.flatMap((run) => run.results).filter(({ finished }) => !repeated.has(finished)),
    ...(repetition?.results ?? []),
  ];
  const total = (count) => results.reduce((sum, result) => sum + result[count], 0);
  const skipped = total('skipped');
  console.log(`${total('passed')} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  // A run can fail without a failed test.
  const hasCrashed = runs.some(({ status, failures: own }) => status !== 0 && own.length === 0);
  return failures.length > 0 || hasCrashed ? 1 : 0;
}

function printList(title, lines) {
  if (lines.length === 0) return;
  console.log(`${title}:`);
  for (const line of lines) console.log(`  ${line}`);
}

const formatSeconds = (ms) => `${(ms / 1_000).toFixed(1).padStart(6)} s`;
