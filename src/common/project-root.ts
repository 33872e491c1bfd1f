import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of package.json: the parent of `src` in tests and of `dist` in a build. */
export const PROJECT_ROOT = findPackageRoot(__dirname);

function findPackageRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findPackageRoot(dirname(directory));
}
