import { execFile, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isMissing } from '../../support/dependencies';
import { createTempFolder } from '../../support/temp-folder';

/**
 * The release that a deploy of this one replaces: the last commit before the migrations of traces, account suspension,
 * sign-out times and webhook cleanup. It moves on with each release (migrations/README.md).
 */
const PREVIOUS_RELEASE = 'f74a8ac347133542a5d559a4b157dd97f97a2629';

const REPOSITORY_FOLDER = join(__dirname, '..', '..', '..');
const execFileAsync = promisify(execFile);

/**
 * `describe` for suites that run the previous release. Skipped without Git, and with a log line in a checkout without
 * its commit.
 */
export function describeWithPreviousRelease(name: string, suite: () => void): void {
  if (isMissing('git')) {
    describe.skip(name, suite);
    return;
  }
  const { status } = spawnSync('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], {
    cwd: REPOSITORY_FOLDER,
  });
  if (status === 0) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Skipped: ${name}. To fetch the commit that it compiles: git fetch --unshallow\n`);
  describe.skip(name, suite);
}

/**
 * Compiles the previous release from git with the current dependencies, in a folder that test-runner.js removes.
 * @returns the folder of the compiled service
 */
export async function compilePreviousRelease(): Promise<string> {
  const folder = createTempFolder();
  const archive = join(folder, 'archive.tar');
  await execFileAsync('git', ['archive', '-o', archive, PREVIOUS_RELEASE], { cwd: REPOSITORY_FOLDER });
  await execFileAsync('tar', ['-xf', archive], { cwd: folder });
  symlinkSync(join(REPOSITORY_FOLDER, 'node_modules'), join(folder, 'node_modules'));
  await execFileAsync(process.execPath, [join(REPOSITORY_FOLDER, 'tools', 'build.mjs'), '--files', folder]);
  return join(folder, 'dist');
}
