import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { InvokeResult } from '../../wire';
import { commandEnvironment } from './command-environment';
import { CommandError, spawnFailure } from './command-error';
import { OutputBuffer } from './output-buffer';
import { ProcessGroup } from './process-group';
import { checkWorkingDirectory } from './working-directory';

/** How long the pipes may stay open after the leader's exit: forked children may hold them for ever. */
const PIPE_GRACE_MS = 250;

export interface RunOptions {
  command: string;
  /** Passed as argv: no shell ever reads them. */
  args: string[];
  /** Absolute path. */
  cwd: string;
  timeoutMs: number;
  /** Written to the command's standard input; without it that is /dev/null. */
  input?: string;
  /** Aborting ends the command and rejects with `cancelled`. */
  signal?: AbortSignal;
}

/**
 * Runs a command as the leader of its own process group and leaves nothing of that group behind: at the time limit,
 * on cancel and after the leader's exit what is left gets SIGTERM, then SIGKILL (device-api.md, Reference device).
 * A non-zero exit and a reached time limit are results; it settles within a second after `timeoutMs`.
 * @throws CommandError when it could not be started, or `cancelled`
 */
export async function runCommand(options: RunOptions): Promise<InvokeResult> {
  await checkWorkingDirectory(options.cwd);
  if (options.signal?.aborted) throw cancelled();
  const startedAt = performance.now();
  const child = await start(options);
  const group = new ProcessGroup(child.pid as number);
  const stdout = capture(child.stdout);
  const stderr = capture(child.stderr);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let durationMs: number | undefined;
  child.once('exit', () => (durationMs = performance.now() - startedAt));
  feed(child, options.input);

  const ending = await firstEnding(child, options.timeoutMs, options.signal);
  if (ending === 'exited') await settled(closed, PIPE_GRACE_MS);
  if (group.isAlive()) await group.terminate();
  await settled(exited, PIPE_GRACE_MS);
  await settled(closed, PIPE_GRACE_MS);
  letGo(child);
  group.release();

  if (ending === 'cancelled') throw cancelled();
  const out = stdout.read();
  const err = stderr.read();
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: out.text,
    stderr: err.text,
    stdoutTruncated: out.truncated,
    stderrTruncated: err.truncated,
    stdoutBytes: out.bytes,
    stderrBytes: err.bytes,
    timedOut: ending === 'timedOut',
    durationMs: Math.round(durationMs ?? performance.now() - startedAt),
  };
}

async function start({ command, args, cwd, input }: RunOptions): Promise<ChildProcess> {
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      cwd,
      env: commandEnvironment(),
      shell: false,
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw spawnFailure(command, error);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw spawnFailure(command, error);
  }
  child.on('error', () => undefined);
  return child;
}

function capture(stream: NodeJS.ReadableStream | null): OutputBuffer {
  const buffer = new OutputBuffer();
  stream?.on('data', (chunk: Buffer) => buffer.write(chunk));
  stream?.on('error', () => undefined);
  return buffer;
}

function feed(child: ChildProcess, input: string | undefined): void {
  // A program may end without reading its input; that EPIPE is no fault.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
}

function firstEnding(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<'exited' | 'timedOut' | 'cancelled'> {
  return new Promise((resolve) => {
    const finish = (how: 'exited' | 'timedOut' | 'cancelled'): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(how);
    };
    const onAbort = (): void => finish('cancelled');
    const timer = setTimeout(() => finish('timedOut'), timeoutMs);
    child.once('exit', () => finish('exited'));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
}

async function settled(promise: Promise<void>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)))]);
  clearTimeout(timer);
}

/** Whoever left the group may still hold the pipes: this end is closed whatever they do. */
function letGo(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

const cancelled = (): CommandError => new CommandError('cancelled', 'The call was cancelled.');
