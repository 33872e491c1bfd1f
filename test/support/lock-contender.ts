import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BUILD_FOLDER } from './ensure-service-built';

const SCRIPT = `
  const { DataDirLock } = require(${JSON.stringify(join(BUILD_FOLDER, 'src', 'core', 'database', 'data-dir-lock'))});
  const held = new Map();
  process.on('message', async ([verb, dir]) => {
    try {
      if (verb === 'acquire') held.set(dir, await DataDirLock.acquireLock(dir));
      else await held.get(dir).releaseLock();
      process.send('done');
    } catch (error) {
      process.send(error.name);
    }
  });
  process.send('ready');`;

/** Process that locks data folders on request. */
export class LockContender {
  private constructor(private readonly child: ChildProcess) {}

  static async start(): Promise<LockContender> {
    const child = fork('-e', [SCRIPT], { execArgv: ['-e', SCRIPT], stdio: 'inherit' });
    await once(child, 'message');
    return new LockContender(child);
  }

  /** Returns 'done', or the name of the error. */
  async acquireLock(dir: string): Promise<string> {
    return this.sendCommand('acquire', dir);
  }

  async releaseLock(dir: string): Promise<string> {
    return this.sendCommand('release', dir);
  }

  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async killProcess(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  private async sendCommand(verb: string, dir: string): Promise<string> {
    const reply = once(this.child, 'message');
    this.child.send([verb, dir]);
    const [text] = (await reply) as [string];
    return text;
  }
}
