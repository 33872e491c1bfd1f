import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessGroup } from '../exec/process-group';
import { spawnCommand } from '../exec/spawn-command';

/** How long the output is read after the exit. A process that Git left could keep the pipe open forever. */
const PIPE_GRACE_MS = 250;

/** The largest artifact has 8,372,224 characters of JWE (docs/protocol/device-api.md#sync). */
const MAX_OUTPUT_BYTES = 6_000_000;

/** Neither hooks nor a file system monitor run. The index stays one file. */
const SAFE_OPTIONS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
].flatMap((option) => ['-c', option]);

export interface GitOptions {
  cwd: string;
  variables?: Readonly<Record<string, string>>;
  input?: Buffer;
  /** Aborting kills Git and all that it started. */
  signal: AbortSignal;
}

/**
 * Runs Git and returns its output.
 * @throws CommandError when Git can't be started; Error when it fails, is aborted, or writes more than 6 MB
 */
export async function runGit(args: string[], options: GitOptions): Promise<Buffer> {
  const { cwd, variables, input, signal } = options;
  const name = `git ${args[0]}`;
  signal.throwIfAborted();
  const hasInput = input !== undefined;
  const child = await spawnCommand({ command: 'git', args: [...SAFE_OPTIONS, ...args], cwd, hasInput, variables });
  const group = new ProcessGroup(child.pid as number);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = (): void => void group.sendSignal('SIGKILL');
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  const output = collectOutput(child.stdout as Readable, kill);
  child.stderr?.resume();
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  await exited;
  await Promise.race([closed, sleep(PIPE_GRACE_MS)]);
  signal.removeEventListener('abort', kill);
  if (group.isAlive()) kill();
  group.unregisterGroup();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  if (output.bytes > MAX_OUTPUT_BYTES) throw new Error(`${name} wrote more than ${MAX_OUTPUT_BYTES} bytes.`);
  if (signal.aborted) throw new Error(`${name} did not end in time.`);
  if (child.exitCode !== 0) throw new Error(`${name} failed (${child.signalCode ?? `status ${child.exitCode}`}).`);
  return Buffer.concat(output.chunks);
}

function collectOutput(stream: Readable, onExcess: () => void) {
  const output = { chunks: [] as Buffer[], bytes: 0 };
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    output.bytes += chunk.length;
    if (output.bytes > MAX_OUTPUT_BYTES) onExcess();
    else output.chunks.push(chunk);
  });
  return output;
}
