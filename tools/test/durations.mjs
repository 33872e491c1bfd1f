import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../build/whole-file.mjs';

/** Committed durations, for the order of files and for budgets (budget.mjs) on a new checkout. */
const COMMITTED = ['test', 'durations.json'];
const OWN = ['node_modules', '.cache', 'external-api', 'test-durations.json'];

/** Durations and CPU times of test files in earlier runs, by project and path: `[ms, cpuMs]`. */
export class Durations {
  #root;
  #own;
  /** Those of the commit, with `unitMs`, which says how fast the machine was. */
  committed;

  constructor(root) {
    this.#root = root;
    this.#own = readJson(join(root, ...OWN)) ?? {};
    this.committed = readJson(join(root, ...COMMITTED)) ?? { unitMs: null, files: {} };
  }

  /** Returns the expected duration of each file of a project: its last one, or else the mean of the project's files. */
  estimate(project, files) {
    const find = (file) => (this.#own[`${project} ${file}`] ?? this.committed.files[`${project} ${file}`])?.[0];
    const known = files.map(find).filter((ms) => ms !== undefined);
    const mean = known.length > 0 ? known.reduce((sum, ms) => sum + ms) / known.length : 0;
    return Object.fromEntries(files.map((file) => [`${project} ${file}`, find(file) ?? mean]));
  }

  /**
   * Remembers the results of a run, also if another run writes at the same time. A file with skipped tests, for example
   * by their names, counts only if nothing is known of it.
   */
  save(results) {
    for (const { finished, ms, cpuMs, skipped } of results) {
      if (skipped === 0 || !(finished in this.#own)) this.#own[finished] = [ms, cpuMs];
    }
    this.#write(OWN, JSON.stringify(this.#own));
  }

  /** Replaces the committed durations by those of this run. Files that did not run keep theirs if they still exist. */
  record(results) {
    const unitMs = results.reduce((sum, result) => sum + result.unitMs, 0) / results.length;
    const ran = results.map(({ finished, ms, cpuMs }) => [finished, [round(ms), round(cpuMs)]]);
    const exists = ([name]) => existsSync(join(this.#root, name.split(' ')[1]));
    const kept = Object.entries(this.committed.files).filter(exists);
    const files = Object.fromEntries([...kept, ...ran].sort(([a], [b]) => (a < b ? -1 : 1)));
    const lines = Object.entries(files).map(([name, times]) => `    ${JSON.stringify(name)}: [${times.join(', ')}]`);
    this.#write(COMMITTED, `{\n  "unitMs": ${unitMs.toFixed(1)},\n  "files": {\n${lines.join(',\n')}\n  }\n}\n`);
  }

  #write(place, text) {
    const path = join(this.#root, ...place);
    try {
      writeWholeFile(path, text);
    } catch (error) {
      // The results of this run count more than the estimates of the next.
      console.log(`The durations can't be saved: ${error.message}`);
    }
  }
}

const round = (ms) => Math.round(ms / 10) * 10;

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
