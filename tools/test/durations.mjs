import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Durations of test files in earlier runs, in milliseconds, by project and path. */
export class Durations {
  #path;
  #known;

  constructor(root) {
    this.#path = join(root, 'node_modules', '.cache', 'external-api', 'test-durations.json');
    try {
      this.#known = JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      this.#known = {};
    }
  }

  /** Returns the expected duration of each file of a project: its last one, or else the mean of the project's files. */
  estimate(project, files) {
    const known = files.map((file) => this.#known[`${project} ${file}`]).filter((ms) => ms !== undefined);
    const mean = known.length > 0 ? known.reduce((sum, ms) => sum + ms) / known.length : 0;
    return Object.fromEntries(files.map((file) => [`${project} ${file}`, this.#known[`${project} ${file}`] ?? mean]));
  }

  /**
   * Remembers the results of a run, also if another run writes at the same time. A file with skipped tests, for example
   * by their names, counts only if nothing is known of it.
   */
  save(results) {
    for (const { project, path, ms, skipped } of results) {
      const key = `${project} ${path}`;
      if (skipped === 0 || !(key in this.#known)) this.#known[key] = ms;
    }
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(`${this.#path}.${process.pid}`, JSON.stringify(this.#known));
      renameSync(`${this.#path}.${process.pid}`, this.#path);
    } catch (error) {
      // The results of this run count more than the estimates of the next.
      console.log(`The durations can't be saved: ${error.message}`);
    }
  }
}
