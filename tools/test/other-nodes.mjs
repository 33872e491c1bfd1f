import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The versions that package.json promises beside the oldest one, which `.nvmrc` names. The newest is the last. */
export const OTHER_NODE_VERSIONS = ['22.23.3', '24.21.0'];

/**
 * Installs other versions of Node.js from the registry, once, for tests of programs that users run with them.
 *
 * @returns the paths of their programs; of those that can't be installed, as without a network, only a line on the log
 */
export function installOtherNodes(root) {
  return OTHER_NODE_VERSIONS.filter((version) => `v${version}` !== process.version).flatMap((version) => {
    const program = installNode(root, version);
    if (program === null) console.log(`Skipped: tests with Node.js ${version}, which can't be installed.`);
    return program === null ? [] : [program];
  });
}

/** Installs a version of Node.js, unless it is there. Returns the path of its program, or null if it can't be. */
export function installNode(root, version) {
  const folder = join(root, 'node_modules', '.cache', `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(program)) {
    const options = ['--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', folder];
    spawnSync('npm', ['install', ...options, `${name}@${version}`], { cwd: root, stdio: 'ignore' });
  }
  const isRunning = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`;
  return isRunning ? program : null;
}
