import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { root } from '../lib.mjs';
import { planProjects } from '../test/plan.mjs';

const AREAS = join(import.meta.dirname, 'areas');
/** The schemas of DTOs are in openapi.json, and browser modules are bundled: neither changes with one compiled file. */
const UNSUITABLE_FILE = /\.dto\.ts$|^clients\/(console|docs)\//;

/**
 * Loads the mutants of all areas.
 *
 * @returns mutants: `area`, `id`, `breaks` (one sentence), `file`, `find` (text that occurs exactly once in the file),
 *   `replace`, `suites` (`project path` each, cheapest first) and optionally `hangs` (true if a time-out counts as
 *   caught) or `survives` (why no test can notice the mutant)
 */
export async function loadMutants() {
  const mutants = [];
  for (const name of readdirSync(AREAS).sort()) {
    const { default: entries } = await import(join(AREAS, name));
    mutants.push(...entries.map((mutant) => ({ area: name.replace('.mjs', ''), ...mutant })));
  }
  return mutants;
}

/** Returns what makes the mutants inapplicable, one line per problem. */
export function findProblems(mutants) {
  const projects = planProjects(createRequire(import.meta.url)('../../jest.config.js'), root, { backend: 'all' });
  const suites = new Set(projects.flatMap(({ name, files }) => files.map((path) => `${name} ${path}`)));
  const problems = mutants.flatMap((mutant) =>
    findMutantProblems(mutant, suites).map((problem) => `${mutant.id}: ${problem}`),
  );
  const ids = mutants.map(({ id }) => id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...problems, ...repeated.map((id) => `${id}: the id is used more than once`)];
}

function findMutantProblems({ file, find, replace, suites }, existingSuites) {
  const missing = suites.filter((suite) => !existingSuites.has(suite));
  const problems = missing.map((suite) => `there is no suite ${suite}`);
  if (suites.length === 0) problems.push('no suite should notice it');
  if (find === replace) problems.push('the replacement changes nothing');
  if (UNSUITABLE_FILE.test(file)) problems.push(`${file} can't be compiled on its own`);
  if (!existsSync(join(root, file))) return [...problems, `${file} does not exist`];
  const text = readFileSync(join(root, file), 'utf8');
  const occurrences = text.split(find).length - 1;
  if (occurrences !== 1) problems.push(`the text to find occurs ${occurrences} times in ${file}`);
  const mutated = text.replace(find, () => replace);
  if (/\.tsx?$/.test(file) && !isParsable(mutated, file))
    problems.push(`the replacement makes ${file} invalid TypeScript`);
  return problems;
}

function isParsable(text, file) {
  try {
    parseSync(text, { syntax: 'typescript', tsx: file.endsWith('x'), decorators: true });
    return true;
  } catch {
    return false;
  }
}
