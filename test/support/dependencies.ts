import { join } from 'node:path';

/** Names of `tools/test/dependencies.cjs` that this machine lacks, which `jest.config.js` has found. */
const missing = (process.env.TEST_MISSING ?? '').split(',');

/** Whether this machine lacks one of these dependencies. */
export const isMissing = (...names: string[]): boolean => names.some((name) => missing.includes(name));

/**
 * Returns `describe` if this machine has these dependencies, and otherwise `describe.skip`. `tools/test.mjs` prints a
 * line for each missing one. It finds the literal names in the test files.
 */
export const describeWith = (...names: string[]): typeof describe => (isMissing(...names) ? describe.skip : describe);

/** Returns `it` if this machine has these dependencies, and otherwise `it.skip`. */
export const itWith = (...names: string[]): typeof it => (isMissing(...names) ? it.skip : it);

/** Returns the path of a program, or null if this machine lacks it. */
export function findInstalledProgram(name: string): string | null {
  const file = join(__dirname, '..', '..', 'tools', 'test', 'dependencies.cjs');
  // oxlint-disable-next-line typescript/no-require-imports -- jest.config.js uses it too
  const dependencies = require(file) as { findProgram: (name: string) => string | null };
  return dependencies.findProgram(name);
}
