import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BUILD } from './service-process';

const SCRIPT = `
  const { DataDirLock } = require(${JSON.stringify(join(BUILD, 'src', 'persistence', 'data-dir-lock'))});
  const held = new Map();
  process.on('message', async ([verb, dir]) => {
    try {
      if (verb === 'acquire') held.set(dir, await DataDirLock.acquire(dir));
      else await held.get(dir).release();
      process.send('done');
    } catch (error) {
      process.send(error.name);
    }
  });
  process.send('ready');`;

/** Another process that takes data folders' locks when told to. */
export class LockContender {
  private constructor(private readonly child: ChildProcess) {}

  static async start(): Promise<LockContender> {
    const child = fork('-e', [SCRIPT], { execArgv: ['-e', SCRIPT], stdio: 'inherit' });
    await once(child, 'message');
    return new LockContender(child);
  }

  /** 'done', or the name of the error. */
  async acquire(dir: string): Promise<string> {
    return this.tell('acquire', dir);
  }

  async release(dir: string): Promise<string> {
    return this.tell('release', dir);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  private async tell(verb: string, dir: string): Promise<string> {
    const answer = once(this.child, 'message');
    this.child.send([verb, dir]);
    const [text] = (await answer) as [string];
    return text;
  }
}
