import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for one test, which `removeFolders` removes. */
export function createTempFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'external-api-medium-'));
  createdFolders.push(dir);
  return dir;
}

/** Creates a data folder with a migrated database, so that a service on it starts quickly. */
export function createMigratedFolder(under = createTempFolder()): string {
  const dir = join(under, 'data');
  mkdirSync(under, { recursive: true });
  cpSync(process.env.TEST_EMBEDDED_TEMPLATE!, dir, { recursive: true });
  return dir;
}

export function removeTempFolders(): void {
  for (const dir of createdFolders.splice(0)) rmSync(dir, { recursive: true, force: true });
}

const createdFolders: string[] = [];
