import { execFile, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../../support/data-folder';

/**
 * The release that a deploy of this one finds running: the last commit before traces, account standing, sign-out
 * times and remains of webhooks came to the schema, four migrations ago. It moves on with each release (migrations/README.md).
 */
const PREVIOUS_RELEASE = 'f74a8ac347133542a5d559a4b157dd97f97a2629';

const ROOT = join(__dirname, '..', '..', '..');
const run = promisify(execFile);

/** `describe` for suites that run it; in a checkout without that much history left out with a line that says so. */
export function describeWithPreviousRelease(name: string, suite: () => void): void {
  const { status } = spawnSync('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], { cwd: ROOT });
  if (status === 0) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Left out: ${name}. To have the commit it compiles: git fetch --unshallow\n`);
  describe.skip(name, suite);
}

/**
 * Compiles the previous release out of git, with the present dependencies, in a folder that `removeFolders` removes.
 * @returns the folder of the compiled service
 */
export async function previousBuild(): Promise<string> {
  const folder = newFolder();
  const archive = join(folder, 'archive.tar');
  await run('git', ['archive', '-o', archive, PREVIOUS_RELEASE], { cwd: ROOT });
  await run('tar', ['-xf', archive], { cwd: folder });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run(join('node_modules', '.bin', 'nest'), ['build'], { cwd: folder });
  return join(folder, 'dist');
}
