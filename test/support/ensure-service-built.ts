import { join } from 'node:path';

/** Builds the service if its sources are newer than the build, unless TEST_BUILD names a build to test. */
export async function ensureServiceBuilt(): Promise<void> {
  if (process.env.TEST_BUILD) return;
  const scripts = (await import(join(__dirname, '..', '..', 'tools', 'lib.mjs'))) as {
    ensureBuilt: () => void;
  };
  scripts.ensureBuilt();
}
