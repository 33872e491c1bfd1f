import { TaskQueues } from '../task-queues';
import { AgentConnection } from './agent-connection';
import { DEFAULT_AGENT_LIMITS, type AgentLimits } from './agent-limits';
import { AgentPlaces, type AgentPlace } from './agent-places';
import { findStartProblem, type AgentExit } from './agent-process';
import type {
  AgentCommand,
  AgentSessionLease,
  AgentSessionOrigin,
  AgentSessionProvider,
  AgentSessionRequest,
} from './agent-session';
import type { AgentInquiry } from './agent-inquiry';
import type { RunningSession } from './running-session';

export const DEFAULT_MAX_AGENTS = 4;
const DECISION_GRACE_MS = 60_000;
/** How long an agent without a session waits for further questions. */
const INQUIRY_IDLE_MS = 60_000;

export interface AgentPoolOptions {
  /** Default: {@link DEFAULT_MAX_AGENTS}. An agent takes some hundred megabytes. */
  maxProcesses?: number;
  /** How long a turn waits for a decision before its agent counts no longer. Default: 1 minute. */
  decisionGraceMs?: number;
  /** How long an agent without a turn keeps running. Default: 15 minutes. */
  idleTimeoutMs?: number;
  limits?: AgentLimits;
  /** Reports agents that ended, to the machine's user only: see {@link AgentExit.stderr}. */
  onExit?: (agentName: string, exit: AgentExit) => void;
}

/** Place of one session in the pool, or of an agent for questions, from the first wait for a process to its end. */
interface PoolEntry {
  readonly key: string;
  /** Aborted when the session's agent must stop. */
  readonly stopped: AbortController;
  isLeased: boolean;
  place?: AgentPlace;
  /** Lends the place when the turn has waited for a decision for long enough. */
  decisionTimer?: NodeJS.Timeout;
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
 * first use. When all places are taken, the agent that has been idle for the longest time is stopped. If none is idle,
 * callers wait in order, and an agent is stopped after its turn, so that no session keeps a place that others wait for.
 */
export class AgentProcessPool implements AgentSessionProvider {
  /** In the order of their last use. */
  private readonly entries = new Map<string, PoolEntry>();
  private readonly places: AgentPlaces;
  private readonly inquiries = new TaskQueues();
  readonly findStartProblem = findStartProblem;

  constructor(private readonly options: AgentPoolOptions = {}) {
    this.places = new AgentPlaces(options.maxProcesses ?? DEFAULT_MAX_AGENTS);
  }

  async reservePlace(signal: AbortSignal): Promise<AgentPlace> {
    const unusedCount = this.countPlaces((entry) => isIdle(entry) || entry.closing !== undefined);
    if (this.places.freeCount + unusedCount <= this.places.missingCount) throw this.places.createBusyError();
    return this.claimPlace(signal);
  }

  async acquireSession(key: string, request: AgentSessionRequest, signal?: AbortSignal): Promise<AgentSessionLease> {
    signal?.throwIfAborted();
    const existing = this.entries.get(key);
    if (existing?.isLeased && !existing.closing) throw new Error('The session is in use.');
    if (existing && (existing.closing || !existing.connection?.isRunning)) {
      await this.closeEntry(existing);
      return this.acquireSession(key, request, signal);
    }
    if (existing?.session) return this.continueSession(existing, existing.session, request, signal);
    const entry: PoolEntry = { key, stopped: new AbortController(), isLeased: true, isDead: false };
    this.entries.set(key, entry);
    try {
      const stop = AbortSignal.any([entry.stopped.signal, ...(signal ? [signal] : [])]);
      entry.place = request.place ?? (await this.claimPlace(stop));
      const started = this.startAgent(entry, request, stop);
      entry.starting = started;
      const { session, origin } = await started;
      stop.throwIfAborted();
      return this.createLease(entry, session, origin);
    } catch (error) {
      await this.closeEntry(entry);
      // It may have got the place while it was closed.
      entry.place?.release();
      throw error;
    }
  }

  inquire<T>(
    agent: Pick<AgentSessionRequest, 'command' | 'resolveFolder'>,
    ask: (inquiry: AgentInquiry) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    // No id of a session has a colon.
    const key = `agent:${agent.command.name}`;
    return this.inquiries.run(key, async () => {
      signal.throwIfAborted();
      const { entry, connection } = await this.openInquiry(key, agent, signal);
      try {
        return await ask(connection);
      } finally {
        this.releaseEntry(entry);
      }
    });
  }

  async updateSession(key: string, request: AgentSessionRequest): Promise<boolean> {
    const entry = this.entries.get(key);
    if (!entry?.session || entry.isLeased || entry.closing || !entry.connection?.isRunning) return false;
    (await this.continueSession(entry, entry.session, request, undefined)).release();
    return true;
  }

  async stopSession(key: string): Promise<void> {
    const entry = this.entries.get(key);
    if (entry) await this.closeEntry(entry);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.entries.values()].map((entry) => this.closeEntry(entry)));
  }

  /** Returns the agent that is there from an earlier question, or starts one, if there is a place for it. */
  private async openInquiry(
    key: string,
    { command, resolveFolder }: Pick<AgentSessionRequest, 'command' | 'resolveFolder'>,
    signal: AbortSignal,
  ): Promise<{ entry: PoolEntry; connection: AgentConnection }> {
    const existing = this.entries.get(key);
    if (existing?.connection?.isRunning && !existing.closing) {
      clearTimeout(existing.idleTimer);
      existing.isLeased = true;
      return { entry: existing, connection: existing.connection };
    }
    if (existing) await this.closeEntry(existing);
    const entry: PoolEntry = { key, stopped: new AbortController(), isLeased: true, isDead: false };
    this.entries.set(key, entry);
    try {
      const stop = AbortSignal.any([entry.stopped.signal, signal]);
      entry.place = await this.reservePlace(stop);
      const started = resolveFolder().then((cwd) => this.startConnection(entry, command, cwd, stop));
      entry.starting = started;
      const connection = await started;
      stop.throwIfAborted();
      return { entry, connection };
    } catch (error) {
      await this.closeEntry(entry);
      // It may have got the place while it was closed.
      entry.place?.release();
      throw error;
    }
  }

  private async startConnection(
    entry: PoolEntry,
    command: AgentCommand,
    cwd: string,
    stop: AbortSignal,
  ): Promise<AgentConnection> {
    const { limits = DEFAULT_AGENT_LIMITS, onExit } = this.options;
    const connection = await AgentConnection.start(command, cwd, { limits, signal: stop });
    entry.connection = connection;
    void connection.closed.then((exit) => {
      entry.isDead = true;
      onExit?.(command.name, exit);
      if (!entry.isLeased) void this.closeEntry(entry);
    });
    return connection;
  }

  private async startAgent(entry: PoolEntry, request: AgentSessionRequest, stop: AbortSignal) {
    try {
      stop.throwIfAborted();
      const cwd = await request.resolveFolder();
      const connection = await this.startConnection(entry, request.command, cwd, stop);
      const opened = await connection.openSession({ ...request, cwd }, stop);
      entry.session = opened.session;
      opened.session.onWorkChanged = () => {
        this.watchDecisions(entry);
        this.keepIdleEntry(entry);
      };
      return opened;
    } catch (error) {
      stop.throwIfAborted();
      throw error;
    }
  }

  /** An app may have prompted the agent since its last turn, or the agent may have changed its mode. */
  private async continueSession(
    entry: PoolEntry,
    session: RunningSession,
    request: AgentSessionRequest,
    signal: AbortSignal | undefined,
  ): Promise<AgentSessionLease> {
    const lease = this.createLease(entry, session, 'running');
    try {
      await entry.connection?.applySettings(session, request, signal);
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  private createLease(entry: PoolEntry, session: RunningSession, origin: AgentSessionOrigin): AgentSessionLease {
    clearTimeout(entry.idleTimer);
    entry.isLeased = true;
    return { session, origin, release: () => this.releaseEntry(entry) };
  }

  private releaseEntry(entry: PoolEntry): void {
    if (!entry.isLeased) return;
    entry.isLeased = false;
    this.moveToEnd(entry);
    this.watchDecisions(entry);
    this.keepIdleEntry(entry);
  }

  /** Keeps an agent without a turn for a while, unless another session needs its place. */
  private keepIdleEntry(entry: PoolEntry): void {
    clearTimeout(entry.idleTimer);
    if (entry.isDead && !entry.isLeased) return void this.closeEntry(entry);
    if (!isIdle(entry)) return;
    const idleTimeoutMs = entry.session ? (this.options.idleTimeoutMs ?? 15 * 60_000) : INQUIRY_IDLE_MS;
    entry.idleTimer = setTimeout(() => isIdle(entry) && void this.closeEntry(entry), idleTimeoutMs).unref();
    this.stopIdleAgents();
  }

  /** An agent that waits for people for long takes no place from those who could work. */
  private watchDecisions(entry: PoolEntry): void {
    if (entry.session?.isWaitingForDecision) {
      const graceMs = this.options.decisionGraceMs ?? DECISION_GRACE_MS;
      entry.decisionTimer ??= setTimeout(() => entry.place?.lend(), graceMs).unref();
      return;
    }
    clearTimeout(entry.decisionTimer);
    entry.decisionTimer = undefined;
    entry.place?.takeBack();
    this.stopIdleAgents();
  }

  private moveToEnd(entry: PoolEntry): void {
    if (this.entries.get(entry.key) !== entry) return;
    this.entries.delete(entry.key);
    this.entries.set(entry.key, entry);
  }

  private claimPlace(stop: AbortSignal): Promise<AgentPlace> {
    const claimed = this.places.claimPlace(stop);
    this.stopIdleAgents();
    return claimed;
  }

  /** Stops as many idle agents as places are missing, beside those that are being stopped already. */
  private stopIdleAgents(): void {
    const missingCount = this.places.missingCount - this.countPlaces(({ closing }) => closing !== undefined);
    const idle = [...this.entries.values()].filter(isIdle);
    for (const entry of idle.slice(0, Math.max(0, missingCount))) void this.closeEntry(entry);
  }

  private countPlaces(isCounted: (entry: PoolEntry) => boolean): number {
    return [...this.entries.values()].filter((entry) => entry.place?.isTaken && isCounted(entry)).length;
  }

  /** The key stays taken until the process has ended, so that no two processes work on one session. */
  private closeEntry(entry: PoolEntry): Promise<void> {
    clearTimeout(entry.idleTimer);
    clearTimeout(entry.decisionTimer);
    entry.closing ??= this.stopEntry(entry);
    return entry.closing;
  }

  private async stopEntry(entry: PoolEntry): Promise<void> {
    entry.stopped.abort();
    // Aborting kills an agent that is starting. Its place and its key are free when it has ended.
    await entry.starting?.catch(() => undefined);
    await entry.connection?.stop();
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
    entry.place?.release();
  }
}

/** Neither leased nor at work by itself. */
const isIdle = ({ isLeased, closing, session }: PoolEntry): boolean =>
  !isLeased && !closing && !session?.isWorkingUnprompted;
