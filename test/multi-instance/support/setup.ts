import { join } from 'node:path';

/** Builds the service, unless TEST_BUILD names a build. */
export default async function setup(): Promise<void> {
  if (process.env.TEST_BUILD) return;
  const scripts = (await import(join(__dirname, '..', '..', '..', 'scripts', 'lib.mjs'))) as {
    ensureBuilt: () => void;
  };
  scripts.ensureBuilt();
}
