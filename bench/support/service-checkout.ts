import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SERVICE_MAIN } from './bench-fixture';
import { PROJECT_FOLDER } from './bench-process';

/**
 * Returns the path of the service's main file in a built checkout, by default in this one.
 * @throws Error if that checkout is not built
 */
export function findServiceMain(folder = PROJECT_FOLDER): string {
  const main = resolve(folder, SERVICE_MAIN);
  if (!existsSync(main)) throw new Error(`${main} is missing: build that checkout first (node tools/build.mjs)`);
  return main;
}
