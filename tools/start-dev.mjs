/** Runs the service and rebuilds it on every change, with the console's browser modules. Ends both together. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bin, root } from './lib.mjs';

const bundler = [process.execPath, [join(root, 'tools', 'build-browser.mjs'), '--watch']];
const service = [bin('nest'), ['start', '--watch']];
// Each in a process group of its own: Nest starts the service as a child and does not pass signals on.
const children = [bundler, service].map(([command, args]) =>
  spawn(command, args, { cwd: root, stdio: 'inherit', detached: true }),
);

function stopChildren() {
  for (const { pid } of children) {
    try {
      process.kill(-pid, 'SIGTERM');
    } catch {
      // The group has ended.
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopChildren);
for (const child of children) {
  child.on('exit', (status) => {
    process.exitCode ||= status ?? 0;
    stopChildren();
  });
}
