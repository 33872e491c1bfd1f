/**
 * Runs the service, and builds and restarts it after every change. Ends it with this process. Passes options of Node.js
 * on to the service, such as --inspect. Runs its single files, which are built sooner than a bundle.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { compareWithLastBuild, isUpToDate } from './build/state.mjs';
import { loadEnvironmentFile, root } from './lib.mjs';

/** Editors write several files at once. */
const SETTLE_MS = 100;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

loadEnvironmentFile();
let service = null;
let changes = Promise.resolve();
let timer = null;

for (const folder of ['src', 'migrations', 'packages']) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => (changes = changes.then(restart).catch(reportError)), SETTLE_MS);
  });
}
for (const signal of SIGNALS) {
  process.on(signal, async () => {
    await stop();
    process.exit(0);
  });
}
await restart();

/** Keeps the running service if the sources can't be compiled. */
async function restart() {
  // Tests and documents are not part of a build.
  const isBuilt = isUpToDate(compareWithLastBuild(root));
  if (service !== null && isBuilt) return;
  if (!isBuilt && !build()) return console.error('The build failed. Waiting for changes.');
  await stop();
  const args = [...process.argv.slice(2), join(root, 'dist', 'src', 'main.js')];
  service = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
}

function build() {
  process.stderr.write('Building ...\n');
  const args = [join(root, 'tools', 'build.mjs'), '--files'];
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** A file may disappear while it is read. The next change builds again. */
function reportError(error) {
  console.error(error.message);
}

async function stop() {
  if (service === null || service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  await exited;
}
