import type { ChildProcess } from 'node:child_process';
import type { InvokeResult } from '@external-api/protocol';
import { detachChild, waitAtMost, waitForOutcome } from './child-process';
import { CommandError } from './command-error';
import { OutputBuffer } from './output-buffer';
import { ProcessGroup } from './process-group';
import { spawnCommand } from './spawn-command';
import { checkWorkingDirectory } from './working-directory';

/** How long the pipes may stay open after the leader's exit. Forked children could keep them open forever. */
const PIPE_GRACE_MS = 250;

export interface ExecuteCommandOptions {
  command: string;
  /** Passed as argv, without a shell. */
  args: string[];
  /** Absolute path. */
  cwd: string;
  timeoutMs: number;
  /** Written to the command's standard input. Default: /dev/null. */
  input?: string;
  /** Aborting terminates the command and rejects with `cancelled`. */
  signal?: AbortSignal;
}

/**
 * Runs a command as the leader of its own process group. At the time limit, on cancellation and after the leader's
 * exit, the remaining processes of the group get SIGTERM, then SIGKILL
 * (docs/protocol/device-api.md#reference-device). A non-zero exit code and a timeout are results, not errors. Settles
 * within a second after `timeoutMs`.
 * @throws CommandError when the command can't be started, or `cancelled`
 */
export async function executeCommand(options: ExecuteCommandOptions): Promise<InvokeResult> {
  await checkWorkingDirectory(options.cwd);
  if (options.signal?.aborted) throw createCancelledError();
  const startedAt = performance.now();
  const child = await spawnCommand({ ...options, hasInput: options.input !== undefined });
  const group = new ProcessGroup(child.pid as number);
  const stdout = captureStream(child.stdout);
  const stderr = captureStream(child.stderr);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let durationMs: number | undefined;
  child.once('exit', () => (durationMs = performance.now() - startedAt));
  writeInput(child, options.input);

  const outcome = await waitForOutcome(child, options.timeoutMs, options.signal);
  if (outcome === 'exited') await waitAtMost(closed, PIPE_GRACE_MS);
  if (group.isAlive()) await group.terminateGroup();
  await waitAtMost(exited, PIPE_GRACE_MS);
  await waitAtMost(closed, PIPE_GRACE_MS);
  detachChild(child);
  group.unregisterGroup();

  if (outcome === 'cancelled') throw createCancelledError();
  const stdoutOutput = stdout.readOutput();
  const stderrOutput = stderr.readOutput();
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: stdoutOutput.text,
    stderr: stderrOutput.text,
    stdoutTruncated: stdoutOutput.truncated,
    stderrTruncated: stderrOutput.truncated,
    stdoutBytes: stdoutOutput.bytes,
    stderrBytes: stderrOutput.bytes,
    timedOut: outcome === 'timedOut',
    durationMs: Math.round(durationMs ?? performance.now() - startedAt),
  };
}

function captureStream(stream: NodeJS.ReadableStream | null): OutputBuffer {
  const buffer = new OutputBuffer();
  stream?.on('data', (chunk: Buffer) => buffer.writeChunk(chunk));
  stream?.on('error', () => undefined);
  return buffer;
}

function writeInput(child: ChildProcess, input: string | undefined): void {
  // A program may exit without reading its input, so EPIPE is not an error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
}

const createCancelledError = (): CommandError => new CommandError('cancelled', 'The call was cancelled.');
