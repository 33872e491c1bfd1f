import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Folder of the compiled service: `TEST_BUILD`, or `dist` by default. */
export const BUILD_FOLDER = join(ROOT, process.env.TEST_BUILD ?? 'dist');

/** Builds the service if a source has changed since the last build, unless TEST_BUILD names a build to test. */
export async function ensureServiceBuilt(): Promise<void> {
  if (process.env.TEST_BUILD) return;
  const scripts = (await import(join(ROOT, 'tools', 'lib.mjs'))) as {
    ensureBuilt: () => void;
  };
  scripts.ensureBuilt();
}
