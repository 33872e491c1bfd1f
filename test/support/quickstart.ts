import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { findFreePort } from './find-free-port';
import { findProgram } from './program-files';
import type { ProcessExit } from './service-process';
import { createMigratedFolder } from './temp-folder';
import { waitFor } from './wait-for';

/** Runs `npm run quickstart` on the existing build, without replacements. */
export class Quickstart {
  private static readonly running = new Set<Quickstart>();
  readonly ended: Promise<ProcessExit>;
  stdout = '';

  private constructor(
    readonly child: ChildProcess,
    readonly folder: string,
    readonly port: number,
  ) {
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr })),
    );
    Quickstart.running.add(this);
    void this.ended.then(() => Quickstart.running.delete(this));
  }

  static async start(
    args: string[],
    folder = createMigratedFolder(),
    env: NodeJS.ProcessEnv = {},
  ): Promise<Quickstart> {
    const port = Number(env.PORT ?? (await findFreePort()));
    const child = spawn(process.execPath, [findProgram('quickstart'), ...args], {
      env: { ...process.env, DATA_DIR: folder, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Quickstart(child, folder, port);
  }

  static async once(folder?: string, env?: NodeJS.ProcessEnv): Promise<ProcessExit & { folder: string }> {
    const quickstart = await Quickstart.start(['--once'], folder, env);
    return { ...(await quickstart.ended), folder: quickstart.folder };
  }

  /** Ends those that a test has left. */
  static async killAll(): Promise<void> {
    for (const quickstart of Quickstart.running) await quickstart.stop('SIGKILL');
  }

  async up(): Promise<void> {
    await waitFor(() => expect(this.stdout).toContain('Running until you press Ctrl-C'), 90_000);
  }

  /** Returns each curl command after the command that sets the token. */
  get curlScripts(): string[] {
    const lines = this.stdout.split('\n');
    const tokenLine = lines.find((line) => line.startsWith('export TOKEN='));
    return lines.filter((line) => line.startsWith('curl ')).map((line) => `${tokenLine}\n${line}`);
  }

  /** Returns the link that signs a browser in. */
  get browserLink(): string {
    return this.stdout.match(/^http\S+#key=(\w{4}-){12}\w{4}$/m)![0];
  }

  /** Returns the service, a child process of the quickstart. */
  get servicePid(): number {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const pairs = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.find(([, parent]) => parent === this.child.pid)![0]!;
  }

  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<ProcessExit> {
    this.child.kill(signal);
    return this.ended;
  }
}
