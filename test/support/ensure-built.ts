import { join } from 'node:path';

/** Builds the service where its sources are newer than the build, unless TEST_BUILD names one to test. */
export async function ensureBuilt(): Promise<void> {
  if (process.env.TEST_BUILD) return;
  const scripts = (await import(join(__dirname, '..', '..', 'scripts', 'lib.mjs'))) as {
    ensureBuilt: () => void;
  };
  scripts.ensureBuilt();
}
