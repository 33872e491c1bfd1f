const { appendFileSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { stripVTControlCharacters } = require('node:util');

const WATCH_EVERY_MS = 15_000;
const REPORT_AFTER_MS = 120_000;
/** Names made of a request's body are long. */
const MAX_NAME_LENGTH = 120;
const SLOW_TEST_MS = 10_000;

/**
 * Jest reporter of `npm test`. Prints a line per file with the progress of all runs, and failures at once. Appends each
 * result to a file: tools/test/run-jest.mjs reads it even if Jest crashes. A result consists of texts and numbers only,
 * since a failure may hold values that JSON can't express.
 */
module.exports = class ProgressReporter {
  /** Name of a failure that is none of a test. */
  static WHOLE_FILE = 'the file';

  constructor({ rootDir, verbose }) {
    this.rootDir = rootDir;
    this.folder = process.env.TEST_REPORT_FOLDER;
    this.plan = JSON.parse(readFileSync(join(this.folder, 'plan.json'), 'utf8'));
    this.isVerbose = Boolean(verbose);
    this.running = new Map();
    this.finished = new Set();
  }

  onRunStart({ numTotalTestSuites }) {
    this.isVerbose ||= numTotalTestSuites === 1;
    // Options of Jest may have left out planned files.
    this.total = this.plan.filesBefore + numTotalTestSuites + this.plan.filesAfter;
    this.watchdog = setInterval(() => this.printSlowFiles(), WATCH_EVERY_MS);
    this.watchdog.unref();
  }

  onTestFileStart(test) {
    this.running.set(this.nameOf(test), { startedAt: Date.now(), reportedMs: 0 });
    this.appendRecord({ started: this.nameOf(test) });
  }

  onTestResult(test, result) {
    const name = this.nameOf(test);
    const { startedAt } = this.running.get(name) ?? { startedAt: Date.now() };
    this.running.delete(name);
    this.finished.add(name);
    const record = {
      finished: name,
      project: test.context.config.displayName.name,
      path: relative(this.rootDir, test.path),
      ms: Date.now() - startedAt,
      cpuMs: result.cpuMs ?? 0,
      unitMs: result.unitMs ?? 0,
      slow: result.testResults
        .filter(({ duration }) => duration > SLOW_TEST_MS)
        .map(({ fullName, duration }) => ({ test: fullName, ms: duration })),
      passed: result.numPassingTests,
      skipped: result.numPendingTests + result.numTodoTests,
      failures: listFailures(result),
    };
    this.appendRecord(record);
    this.print(this.formatResult(record, result));
  }

  onRunComplete() {
    clearInterval(this.watchdog);
    this.appendRecord({ isComplete: true });
  }

  formatResult({ finished, ms, cpuMs, failures, passed }, { failureMessage, testResults, console: output }) {
    const verdict = failures.length > 0 ? 'FAIL' : passed > 0 ? 'PASS' : 'SKIP';
    const time = `${(ms / 1_000).toFixed(1)} s, CPU ${(cpuMs / 1_000).toFixed(1)} s`;
    const lines = [`${this.formatProgress()} ${verdict} ${finished} (${time})`];
    if (this.isVerbose)
      lines.push(
        ...testResults.map(
          ({ status, fullName, duration }) => `  ${status} ${fullName.slice(0, MAX_NAME_LENGTH)} (${duration ?? 0} ms)`,
        ),
      );
    for (const { type, message, origin } of output ?? [])
      lines.push(`console.${type}`, indent(message), indent(origin.split('\n')[0].trim()));
    if (failureMessage) lines.push(process.stdout.isTTY ? failureMessage : stripVTControlCharacters(failureMessage));
    return lines.join('\n');
  }

  formatProgress() {
    const { filesBefore, startedAt } = this.plan;
    const count = `${String(filesBefore + this.finished.size).padStart(String(this.total).length)}/${this.total}`;
    const leftMs = this.estimateLeftMs();
    return `[${count}, ${formatMinutes(Date.now() - startedAt)}${leftMs > 0 ? `, ${formatMinutes(leftMs)} left` : ''}]`;
  }

  estimateLeftMs() {
    const { expectedMs, workers, msAfter } = this.plan;
    const left = Object.entries(expectedMs).filter(([name]) => !this.finished.has(name));
    return left.reduce((sum, [, ms]) => sum + ms, 0) / workers + msAfter;
  }

  /** Says which files have been running for long, once per file and period, so that a file that hangs has a name. */
  printSlowFiles() {
    for (const [name, file] of this.running) {
      const ms = Date.now() - file.startedAt;
      if (ms < file.reportedMs + REPORT_AFTER_MS) continue;
      file.reportedMs = ms;
      this.print(`${this.formatProgress()} still running: ${name} (${formatMinutes(ms)})`);
    }
  }

  appendRecord(record) {
    appendFileSync(join(this.folder, 'results.jsonl'), `${JSON.stringify({ at: Date.now(), ...record })}\n`);
  }

  print(text) {
    process.stdout.write(`${text}\n`);
  }

  nameOf({ context, path }) {
    return `${context.config.displayName.name} ${relative(this.rootDir, path)}`;
  }
};

/** Returns the failed tests, or the file if it couldn't run. */
function listFailures({ testResults, failureMessage, testExecError }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  if (failed.length > 0) return failed.map((test) => describeFailure(test.fullName, test.failureMessages[0]));
  return testExecError || failureMessage ? [describeFailure(module.exports.WHOLE_FILE, failureMessage)] : [];
}

const describeFailure = (test, message) => ({ test, message: stripVTControlCharacters(String(message ?? '')) });
const indent = (text) => `  ${text.replaceAll('\n', '\n  ')}`;

function formatMinutes(ms) {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
