import { createNotFoundError } from '../exec/command-error';
import { findProgram } from '../exec/find-program';
import { createCommandEnvironment } from '../exec/spawn-command';
import { AgentConnection, DEFAULT_AGENT_LIMITS } from './agent-connection';
import type { AgentExit } from './agent-process';
import type {
  AgentCommand,
  AgentSessionLease,
  AgentSessionOrigin,
  AgentSessionProvider,
  AgentSessionRequest,
} from './agent-session';
import type { AgentLimits, RunningSession } from './running-session';

export interface AgentPoolOptions {
  /** Default: 4. An agent takes some hundred megabytes. */
  maxProcesses?: number;
  /** How long an agent without a turn keeps running. Default: 15 minutes. */
  idleTimeoutMs?: number;
  limits?: AgentLimits;
  /** Reports agents that ended, to the machine's user only: see {@link AgentExit.stderr}. */
  onExit?: (agentName: string, exit: AgentExit) => void;
}

/** Place of one session in the pool, from the first wait for a process until the end of the process. */
interface PoolEntry {
  readonly key: string;
  /** Aborted when the session's agent must stop. */
  readonly stopped: AbortController;
  isLeased: boolean;
  hasSlot: boolean;
  /** Settles when the agent has started, or has ended again. */
  starting?: Promise<unknown>;
  connection?: AgentConnection;
  session?: RunningSession;
  isDead: boolean;
  idleTimer?: NodeJS.Timeout;
  closing?: Promise<void>;
}

/**
 * Runs each session's agent in a process of its own, so that a crash ends the turn of one session only. Agents start on
 * first use. When all slots are taken, the agent that has been idle for the longest time is stopped. If none is idle,
 * callers wait in order.
 */
export class AgentProcessPool implements AgentSessionProvider {
  /** In the order of their last use. */
  private readonly entries = new Map<string, PoolEntry>();
  private readonly waiters: (() => void)[] = [];
  private freeSlots: number;

  constructor(private readonly options: AgentPoolOptions = {}) {
    this.freeSlots = options.maxProcesses ?? 4;
  }

  async acquireSession(key: string, request: AgentSessionRequest, signal?: AbortSignal): Promise<AgentSessionLease> {
    signal?.throwIfAborted();
    const existing = this.entries.get(key);
    if (existing?.isLeased && !existing.closing) throw new Error('The session is in use.');
    if (existing && (existing.closing || !existing.connection?.isRunning)) {
      await this.closeEntry(existing);
      return this.acquireSession(key, request, signal);
    }
    if (existing?.session) return this.createLease(existing, existing.session, 'running');
    const entry: PoolEntry = { key, stopped: new AbortController(), isLeased: true, hasSlot: false, isDead: false };
    this.entries.set(key, entry);
    try {
      const stop = AbortSignal.any([entry.stopped.signal, ...(signal ? [signal] : [])]);
      await this.claimSlot(entry, stop);
      const started = this.startAgent(entry, request, stop);
      entry.starting = started;
      const { session, origin } = await started;
      stop.throwIfAborted();
      return this.createLease(entry, session, origin);
    } catch (error) {
      await this.closeEntry(entry);
      throw error;
    }
  }

  async stopSession(key: string): Promise<void> {
    const entry = this.entries.get(key);
    if (entry) await this.closeEntry(entry);
  }

  async findStartProblem({ command: [program = ''] }: AgentCommand): Promise<Error | undefined> {
    const environment = createCommandEnvironment();
    const path = await findProgram(program, environment);
    return path === undefined ? createNotFoundError(program, environment.PATH ?? '') : undefined;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.entries.values()].map((entry) => this.closeEntry(entry)));
  }

  private async startAgent(entry: PoolEntry, request: AgentSessionRequest, stop: AbortSignal) {
    const { limits = DEFAULT_AGENT_LIMITS, onExit } = this.options;
    const { command, agentSessionId } = request;
    try {
      stop.throwIfAborted();
      const cwd = await request.resolveFolder();
      const connection = await AgentConnection.start(command, cwd, { limits, signal: stop });
      entry.connection = connection;
      void connection.closed.then((exit) => {
        entry.isDead = true;
        onExit?.(command.name, exit);
        if (!entry.isLeased) void this.closeEntry(entry);
      });
      const opened = await connection.openSession({ cwd, agentSessionId }, stop);
      entry.session = opened.session;
      return opened;
    } catch (error) {
      stop.throwIfAborted();
      throw error;
    }
  }

  private createLease(entry: PoolEntry, session: RunningSession, origin: AgentSessionOrigin): AgentSessionLease {
    clearTimeout(entry.idleTimer);
    entry.isLeased = true;
    this.entries.delete(entry.key);
    this.entries.set(entry.key, entry);
    return { session, origin, release: () => this.releaseEntry(entry) };
  }

  private releaseEntry(entry: PoolEntry): void {
    if (!entry.isLeased) return;
    entry.isLeased = false;
    if (entry.isDead || this.waiters.length > 0) return void this.closeEntry(entry);
    const idleTimeoutMs = this.options.idleTimeoutMs ?? 15 * 60_000;
    entry.idleTimer = setTimeout(() => void this.closeEntry(entry), idleTimeoutMs).unref();
  }

  private async claimSlot(entry: PoolEntry, stop: AbortSignal): Promise<void> {
    if (this.freeSlots > 0) this.freeSlots--;
    else await this.waitForSlot(stop);
    entry.hasSlot = true;
  }

  private waitForSlot(stop: AbortSignal): Promise<void> {
    const idle = [...this.entries.values()].find(({ isLeased, closing }) => !isLeased && !closing);
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        stop.removeEventListener('abort', leaveQueue);
        resolve();
      };
      const leaveQueue = (): void => {
        this.waiters.splice(this.waiters.indexOf(admit), 1);
        reject(stop.reason as Error);
      };
      this.waiters.push(admit);
      stop.addEventListener('abort', leaveQueue);
      if (idle) void this.closeEntry(idle);
    });
  }

  /** The key stays taken until the process has ended, so that no two processes work on one session. */
  private closeEntry(entry: PoolEntry): Promise<void> {
    clearTimeout(entry.idleTimer);
    entry.closing ??= this.stopEntry(entry);
    return entry.closing;
  }

  private async stopEntry(entry: PoolEntry): Promise<void> {
    entry.stopped.abort();
    // Aborting kills an agent that is starting. Its slot and its key are free when it has ended.
    await entry.starting?.catch(() => undefined);
    await entry.connection?.stop();
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
    if (!entry.hasSlot) return;
    const admitNext = this.waiters.shift();
    if (admitNext) admitNext();
    else this.freeSlots++;
  }
}
