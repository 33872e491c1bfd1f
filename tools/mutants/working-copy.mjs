import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { transformSync } from '@swc/core';
import { root } from '../lib.mjs';
import { groupByProject } from '../test/run-all.mjs';
import { runJest } from '../test/run-jest.mjs';

const swcOptions = createRequire(import.meta.url)('../swc-options.cjs');
const NOT_COPIED = new Set(['.git', 'node_modules', 'coverage', 'data']);
/** Longer than the time limit of a test, which is extended on a slow machine. */
const FILE_MS = 180_000;
const EXIT_MS = 30_000;

/**
 * Private copy of the sources and the build, in which mutants are applied. It links to the packages of the repository.
 */
export class WorkingCopy {
  #folder = mkdtempSync(join(tmpdir(), 'external-api-mutants-'));

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
   * Runs test files.
   * @param suites Jest project and path each, for example `unit src/common/ids.spec.ts`
   * @param options `workers`; `output` of `runJest`; `env`: more variables
   * @returns results of `runJest`
   */
  runSuites(suites, { workers = 1, output = 'ignore', env = {} } = {}) {
    const projects = groupByProject(suites);
    const files = Object.fromEntries(projects.map(({ name, files: paths }) => [name, paths]));
    const plan = { startedAt: Date.now(), workers, files, expectedMs: {}, filesBefore: 0, filesAfter: 0, msAfter: 0 };
    const args = [...['--selectProjects', ...Object.keys(files)], `--maxWorkers=${workers}`];
    return runJest([...args, `--cacheDirectory=${join(this.#folder, '.jest-cache')}`], plan, {
      cwd: this.#folder,
      limits: { fileMs: FILE_MS * Number(process.env.TEST_WAIT_FACTOR), exitMs: EXIT_MS },
      // Tests the build of the copy as it is, instead of building it again.
      env: { ...process.env, TEST_BUILD: 'dist', ...env },
      output,
    });
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The sources of the clients are tested as they are. */
function isBuilt(file) {
  return !file.startsWith('clients/');
}

function getBuiltPath(file) {
  return join('dist', file.replace(/\.tsx?$/, '.js'));
}
