import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a folder for the tests of a file, after which test-runner.js removes it. Its name has the id of the process
 * that it belongs to.
 */
export function createTempFolder(parent = tmpdir()): string {
  return mkdtempSync(join(parent, `external-api-test-${process.pid}-`));
}

/** Creates a data folder with a migrated database, so that a service on it starts quickly. */
export function createMigratedFolder(under = createTempFolder()): string {
  const dir = join(under, 'data');
  mkdirSync(under, { recursive: true });
  cpSync(process.env.TEST_EMBEDDED_TEMPLATE!, dir, { recursive: true });
  return dir;
}
