import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotFoundError, getErrnoCode } from '../exec/command-error';
import { findProgram } from '../exec/find-program';
import { OutputBuffer } from '../exec/output-buffer';
import { ProcessGroup } from '../exec/process-group';
import { identifyProcess, type ProcessIdentity } from '../exec/process-identity';
import { createCommandEnvironment, spawnCommand } from '../exec/spawn-command';
import { checkWorkingDirectory } from '../exec/working-directory';
import { AgentError } from './agent-error';
import type { AgentCommand } from './agent-session';
import { toBoundedText, toDisplayedText } from './displayed-text';
import { JsonRpcPeer, type JsonRpcHandlers } from './json-rpc-peer';

/** How long the output of an agent that has exited is read. A process that it left could keep the pipe open forever. */
const PIPE_GRACE_MS = 250;

/** Time between SIGTERM and SIGKILL when the device stops an agent. */
const STOP_GRACE_MS = 2_000;

const STDERR_LIMIT_BYTES = 8 * 1024;

const MAX_LAST_LINES = 20;
const MAX_LAST_LINES_BYTES = 2 * 1024;

export type AgentMessageHandlers = Omit<JsonRpcHandlers, 'handleViolation'>;

/** How an agent's process ended. */
export interface AgentExit {
  /** Why it can't be used any more. */
  error: AgentError;
  /**
   * Head and tail of its standard error, 8 KiB at most, with control characters as escapes. It may contain content and
   * keys, so only the machine's user may see it.
   */
  stderr: string;
}

/** Process of an agent: the leader of a process group, with JSON-RPC on its standard input and output. */
export class AgentProcess {
  readonly peer: JsonRpcPeer;
  /** Resolves when the process and its group are gone. */
  readonly closed: Promise<AgentExit>;
  private readonly group: ProcessGroup;
  private readonly stderr = new OutputBuffer(STDERR_LIMIT_BYTES);
  private failure: AgentError | undefined;
  private identity: Promise<ProcessIdentity | undefined> | undefined;
  /** After its end, the id of the group may belong to other processes. */
  private isGone = false;

  private constructor(
    private readonly child: ChildProcess,
    handlers: AgentMessageHandlers,
  ) {
    this.group = new ProcessGroup(child.pid as number);
    child.stderr?.on('data', (chunk: Buffer) => this.stderr.writeChunk(chunk));
    child.stderr?.on('error', () => undefined);
    this.closed = this.waitForExit();
    this.peer = new JsonRpcPeer(child.stdout as Readable, child.stdin as Writable, {
      handleRequest: (method, params) => handlers.handleRequest(method, params),
      handleNotification: (method, params) => handlers.handleNotification(method, params),
      handleSkippedLine: (bytes) => handlers.handleSkippedLine?.(bytes),
      handleViolation: (reason) => this.killGroup(new AgentError('agent_error', reason)),
    });
  }

  /** @throws AgentError `agent_error` with a CommandError as its cause when the program can't be started */
  static async start(
    { command: [program = '', ...args], environmentNames }: AgentCommand,
    cwd: string,
    handlers: AgentMessageHandlers,
  ): Promise<AgentProcess> {
    try {
      await checkWorkingDirectory(cwd);
      const child = await spawnCommand({ command: program, args, cwd, hasInput: true, environmentNames });
      return new AgentProcess(child, handlers);
    } catch (error) {
      throw new AgentError('agent_error', `The agent could not be started (${getErrnoCode(error)}).`, { cause: error });
    }
  }

  get isRunning(): boolean {
    return this.failure === undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Identifies the process for a later run of this program. Undefined if it has ended, or nothing can be known. */
  async readIdentity(): Promise<ProcessIdentity | undefined> {
    this.identity ??= identifyProcess(this.child.pid as number);
    const identity = await this.identity;
    // Until its end is noticed, no other process has its number.
    return this.isRunning ? identity : undefined;
  }

  /** Returns the last lines of its standard error so far, for those who may read {@link AgentExit.stderr} at least. */
  readLastErrorLines(): string {
    const text = this.stderr.readOutput().text.replaceAll('\r\n', '\n');
    const lines = toDisplayedText(text).trimEnd().split('\n').slice(-MAX_LAST_LINES);
    while (lines.length > 1 && Buffer.byteLength(lines.join('\n')) > MAX_LAST_LINES_BYTES) lines.shift();
    return toBoundedText(lines.join('\n').trim(), MAX_LAST_LINES_BYTES);
  }

  /** Kills the process and all that it started. Pending requests fail with `error`, unless it has failed before. */
  killGroup(error: AgentError): void {
    this.fail(error);
    if (!this.isGone) this.group.sendSignal('SIGKILL');
  }

  /** Asks the process to exit, and kills it after two seconds. */
  async stop(): Promise<void> {
    this.fail(new AgentError('agent_lost', 'The device stopped the agent.'));
    this.child.stdin?.end();
    if (!this.isGone) await this.group.terminateGroup(STOP_GRACE_MS);
    await this.closed;
  }

  private fail(error: AgentError): void {
    this.failure ??= error;
    this.peer.close(this.failure);
  }

  private async waitForExit(): Promise<AgentExit> {
    const pipesClosed = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    await Promise.race([pipesClosed, sleep(PIPE_GRACE_MS)]);
    this.fail(new AgentError('agent_lost', `The agent ended (${formatExit(this.child)}).`));
    if (this.group.isAlive()) await this.group.terminateGroup();
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream?.destroy();
    this.isGone = true;
    this.group.unregisterGroup();
    return { error: this.failure!, stderr: toDisplayedText(this.stderr.readOutput().text) };
  }
}

const formatExit = ({ exitCode, signalCode }: ChildProcess): string => signalCode ?? `status ${exitCode}`;

/** Returns why this agent certainly can't be started here: its program is missing. */
export async function findStartProblem({ command: [program = ''] }: AgentCommand): Promise<Error | undefined> {
  const environment = createCommandEnvironment();
  const path = await findProgram(program, environment);
  return path === undefined ? createNotFoundError(program, environment.PATH ?? '') : undefined;
}
