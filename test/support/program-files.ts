import { join } from 'node:path';
import { BUILD_FOLDER } from './ensure-service-built';

/** Single files of the programs, below the folder of a build. */
const SINGLE_FILES = {
  service: ['src', 'main.js'],
  admin: ['src', 'programs', 'admin', 'main.js'],
  device: ['clients', 'device', 'src', 'main.js'],
  quickstart: ['clients', 'quickstart', 'src', 'main.js'],
  setup: ['src', 'programs', 'setup', 'main.js'],
};

export type ProgramName = keyof typeof SINGLE_FILES;

/** Returns the file that starts a program without its bundle. */
export function findSingleFile(program: ProgramName, build = BUILD_FOLDER): string {
  return join(build, ...SINGLE_FILES[program]);
}

/** Returns the file that starts a program's bundle. A build that TEST_BUILD names has single files only. */
export function findProgram(program: ProgramName): string {
  return process.env.TEST_BUILD ? findSingleFile(program) : join(BUILD_FOLDER, 'programs', `${program}.js`);
}
