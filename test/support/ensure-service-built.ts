import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Folder of the compiled service: `TEST_BUILD`, or `dist` by default. */
export const BUILD_FOLDER = join(ROOT, process.env.TEST_BUILD ?? 'dist');

interface BuildTools {
  ensureBuilt(): void;
  ensureFilesBuilt(): void;
  ensurePackagesBuilt(): void;
}

/**
 * Builds the single files of the service if a source has changed since the last build, unless TEST_BUILD names a build
 * to test.
 */
export async function ensureServiceBuilt(): Promise<void> {
  if (!process.env.TEST_BUILD) (await importBuildTools()).ensureFilesBuilt();
}

/** Builds the bundles of the programs as well. */
export async function ensureProgramsBuilt(): Promise<void> {
  if (!process.env.TEST_BUILD) (await importBuildTools()).ensureBuilt();
}

/** Packs the clients that the service hands out. A build that TEST_BUILD names has its own, or none. */
export async function ensurePackagesBuilt(): Promise<void> {
  if (!process.env.TEST_BUILD) (await importBuildTools()).ensurePackagesBuilt();
}

function importBuildTools(): Promise<BuildTools> {
  return import(join(ROOT, 'tools', 'lib.mjs')) as Promise<BuildTools>;
}
