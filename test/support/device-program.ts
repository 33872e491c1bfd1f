import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { findSingleFile } from './program-files';

export interface EndedProgram {
  /** Null after a signal. */
  status: number | null;
  out: string;
  err: string;
}

/** Process of `npm run device -- …`, with the output that a person reads. */
export class DeviceProgram {
  out = '';
  err = '';
  readonly ended: Promise<EndedProgram>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(child, 'close').then(([status]) => ({
      status: status as number | null,
      out: this.out,
      err: this.err,
    }));
  }

  /** @param keyFile default: that of the user whose `HOME` is in `env` */
  static start(args: readonly string[], keyFile?: string, env: NodeJS.ProcessEnv = {}): DeviceProgram {
    const keyFileArgs = keyFile === undefined ? [] : ['--key-file', keyFile];
    const child = spawn(process.execPath, [findSingleFile('device'), ...args, ...keyFileArgs], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new DeviceProgram(child);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}
