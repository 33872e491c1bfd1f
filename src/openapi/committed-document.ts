import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../common/project-root';

export const FILE = 'openapi.json';

/** The committed `openapi.json` of the project root, which lies above sources and build alike. */
export function readCommittedDocument(): Record<string, unknown> {
  const file = join(PROJECT_ROOT, FILE);
  if (!existsSync(file)) throw new Error(`${FILE} is missing: npm run generate writes it.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
