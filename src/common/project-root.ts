import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json: above the sources in tests, above `dist` in a build. */
export const PROJECT_ROOT = findUp(__dirname);

function findUp(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findUp(dirname(folder));
}
