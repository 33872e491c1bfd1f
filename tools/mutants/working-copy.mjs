import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { transformSync } from '@swc/core';
import { root } from '../lib.mjs';

const swcOptions = createRequire(import.meta.url)('../swc-options.cjs');
const NOT_COPIED = new Set(['.git', 'node_modules', 'coverage', 'data']);
/** Jest must write its summary without colors, because the results are read from it. */
const ENVIRONMENT = {
  ...process.env,
  FORCE_COLOR: '0',
  // Tests the build of the copy as it is, instead of building it again.
  TEST_BUILD: 'dist',
};

/**
 * Private copy of the sources and the build, in which mutants are applied. It links to the packages of the repository.
 */
export class WorkingCopy {
  #folder = mkdtempSync(join(tmpdir(), 'external-api-mutants-'));
  #jestPid = null;

  constructor() {
    const filter = (path) => !NOT_COPIED.has(relative(root, path));
    cpSync(root, this.#folder, { recursive: true, preserveTimestamps: true, filter });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Writes the mutated source, and compiles it into the build of the copy. */
  applyMutant({ file, find, replace }) {
    const text = readFileSync(join(root, file), 'utf8').replace(find, () => replace);
    writeFileSync(join(this.#folder, file), text);
    if (!isBuilt(file)) return;
    const output = join(this.#folder, getBuiltPath(file));
    const isCode = output.endsWith('.js');
    writeFileSync(output, isCode ? transformSync(text, { ...swcOptions, filename: file, swcrc: false }).code : text);
  }

  revertMutant({ file }) {
    const paths = isBuilt(file) ? [file, getBuiltPath(file)] : [file];
    for (const path of paths) cpSync(join(root, path), join(this.#folder, path));
  }

  /**
   * Runs a test file.
   * @param suite Jest project and path, for example `unit src/common/ids.spec.ts`
   * @returns `state`: `passed`, `failed`, `timed out`, `skipped` (without a test that ran) or `crashed` (without
   *   results); `firstFailure`: name of the first test that failed; `hasSkippedTests`; `output` of Jest
   */
  async runSuite(suite, limitMs) {
    const [project, path] = suite.split(' ');
    const child = spawn(
      process.execPath,
      [
        join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
        ...['--selectProjects', project, '--runTestsByPath', path],
        ...['--maxWorkers=1', '--reporters=default', `--cacheDirectory=${join(this.#folder, '.jest-cache')}`],
      ],
      { cwd: this.#folder, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    this.#jestPid = child.pid;
    let output = '';
    let isTimedOut = false;
    child.stderr.on('data', (chunk) => (output += chunk));
    const timer = setTimeout(() => {
      isTimedOut = true;
      this.#killTests();
    }, limitMs);
    await new Promise((resolve) => child.once('exit', resolve));
    clearTimeout(timer);
    // Ends processes that a failed test has left.
    this.#killTests();
    return isTimedOut ? { state: 'timed out', output } : readSummary(output);
  }

  remove() {
    this.#killTests();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #killTests() {
    try {
      if (this.#jestPid !== null) process.kill(-this.#jestPid, 'SIGKILL');
    } catch {
      // All processes of the group have exited.
    }
  }
}

/** The sources of the clients are tested as they are. */
function isBuilt(file) {
  return !file.startsWith('clients/');
}

function getBuiltPath(file) {
  return join('dist', file.replace(/\.tsx?$/, '.js'));
}

/** Reads the counts of Jest's summary, for example `Tests: 1 failed, 2 skipped, 3 passed, 6 total`. */
function readSummary(output) {
  const [summary] = /^Tests: .*$/m.exec(output) ?? [];
  const count = (state) => Number(new RegExp(`(\\d+) ${state}`).exec(summary)?.[1] ?? 0);
  const hasSkippedTests = count('skipped') > 0;
  if (count('failed') > 0) {
    return { state: 'failed', firstFailure: /^ *● (.+)$/m.exec(output)?.[1], hasSkippedTests, output };
  }
  if (summary === undefined || /^Test Suites: .*failed/m.test(output)) return { state: 'crashed', output };
  return { state: count('passed') > 0 ? 'passed' : 'skipped', hasSkippedTests, output };
}
