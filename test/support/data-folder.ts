import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test, removed with `removeFolders`. */
export function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'external-api-medium-'));
  made.push(dir);
  return dir;
}

/** A data folder whose database stands and is migrated, so that a service on it starts quickly. */
export function migratedFolder(under = newFolder()): string {
  const dir = join(under, 'data');
  mkdirSync(under, { recursive: true });
  cpSync(process.env.TEST_MEDIUM_TEMPLATE!, dir, { recursive: true });
  return dir;
}

export function removeFolders(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

const made: string[] = [];
