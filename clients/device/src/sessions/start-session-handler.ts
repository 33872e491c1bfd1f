import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentState, StartSessionRequest, StartSessionResult, TurnSummary } from '@external-api/protocol';
import type { AgentPlace } from '../agent/agent-places';
import type { AgentCommand, AgentSessionProvider } from '../agent/agent-session';
import type { DataEnvelope, SessionResource } from '../api-resources';
import type { TurnAttachment } from '../attachments/turn-prompt';
import { ApiResponseError } from '../client-errors';
import { CommandError } from '../exec/command-error';
import { prepareStartGrant } from '../grants/start-grant';
import type { HostedSession } from '../history/session-history';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import { ForeignSessionError, openMachineSession } from '../machine/registration';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import { retryTransientErrors } from '../machine/retry';
import type { ServerClock } from '../machine/server-clock';
import { TaskQueues } from '../task-queues';
import type { SignedInDevice } from '../signed-in-device';
import { runWithTimeLimit } from '../time-limit';
import type { TurnAcceptance } from '../turns/turn-acceptance';
import { findStoredMessage, limitWaitMs, waitForTurn } from '../turns/turn-handlers';
import type { TurnQueue } from '../turns/turn-queue';
import type { AgentSessionLister } from './agent-session-lister';
import type { AgentSessionRegistry } from './agent-session-registry';
import type { AllowedFolders } from './allowed-folders';
import { MAX_SESSIONS, SessionReservations } from './session-reservations';
import { createCancelledError, createExistsError, throwBeforeSession, toStartError } from './start-error';
import { toMessageTitle } from './title-text';

/** A session without a turn for this long is ended when another one needs its place. */
const REPLACEABLE_AFTER_MS = 7 * 86_400_000;
/** How long a start waits for its agent at least: most agents that can't start say so by then. */
const MIN_START_WAIT_MS = 2_000;
/** The same for an agent that continues a session, which it may refuse only after it has read it. */
const MIN_CONTINUE_WAIT_MS = 10_000;

export interface StartSessionDependencies {
  device: SignedInDevice;
  machineId: string;
  /** Session that the machine hosts from its start. It is not ended for another one. */
  session: HostedSession;
  clock: ServerClock;
  sessions: AgentSessionRegistry;
  acceptance: TurnAcceptance;
  provider: AgentSessionProvider;
  /** Finds the sessions that starts continue. */
  lister: AgentSessionLister;
  folders: AllowedFolders;
  /** Whether callers may have the keys of the sessions that they start. */
  allowsGrants: boolean;
  /** Name and platform of this device, for the session's metadata. */
  description: { name: string; platform: string };
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

/** A start whose parameters are valid. */
interface PreparedStart {
  request: StartSessionRequest;
  grantKey: Awaited<ReturnType<typeof prepareStartGrant>>;
  command: AgentCommand;
  cwd: string;
  /** The agent's session that this one continues. */
  continues?: { agentSessionId: string; isFork: boolean; title: string };
  /** Those of the first message. */
  files: readonly TurnAttachment[];
  /** `performance.now()` */
  arrivedAt: number;
  /** For an agent that starts before a turn, which waits for a place itself. */
  place: AgentPlace | undefined;
}

/** Starts sessions with an agent (docs/protocol/agents.md#start-a-session). */
export class StartSessionHandler {
  private readonly reservations: SessionReservations;
  private readonly continuations = new TaskQueues();

  constructor(private readonly dependencies: StartSessionDependencies) {
    const { sessions } = dependencies;
    this.reservations = new SessionReservations(() => sessions.allQueues.map(({ session }) => session.hosted.tag));
  }

  /**
   * Answers without a first message when the agent's session is ready, or when the caller's time is over: the agent
   * then goes on starting, and the first turn finds it. Answers a first message like any other. If the start fails,
   * there is no new session, or it has ended.
   * @throws CommandError `agent_not_found`, `agent_auth_required`, `agent_start_failed`, `agent_unsupported`,
   *   `agent_session_not_found`, `mode_not_found`, `agent_mode_unsafe`, `option_not_found`, `option_value_not_found`,
   *   `option_refused`, `cwd_not_found`, `cwd_not_allowed`, `session_exists`, `busy`, `cancelled`, `internal`
   */
  readonly handleRequest: RelayMethodHandler<'session.start'> = async (request, signal) => {
    const arrivedAt = performance.now();
    const { agent, resume, fork } = request.params;
    const command = this.dependencies.sessions.findCommand(agent);
    if (!command) throw new CommandError('agent_not_found', 'The machine has no such agent.');
    const start = (): Promise<StartSessionResult> => this.prepareStart(request, command, arrivedAt, signal);
    // Of two calls that continue the same session, the second one finds the session of the first.
    return resume === undefined || fork ? start() : this.continuations.run(`${command.name}:${resume}`, start);
  };

  private async prepareStart(
    request: StartSessionRequest,
    command: AgentCommand,
    arrivedAt: number,
    signal: AbortSignal,
  ): Promise<StartSessionResult> {
    const { content } = request.params;
    const { device, acceptance, allowsGrants } = this.dependencies;
    const origin = await this.findOrigin(request, command, arrivedAt, signal);
    const grantKey = await prepareStartGrant(device, request, allowsGrants);
    // Without the files or a place for the first turn or the agent there must be no session: its tag would be used up.
    const releaseTurn = content === null ? () => undefined : acceptance.reserveTurn(request.requestId);
    let place: AgentPlace | undefined;
    try {
      const files = await acceptance.readFiles(request.params.attachments, signal);
      if (content === null || origin.continues) place = await this.reservePlace(signal);
      return await this.startSession({ request, grantKey, command, ...origin, files, arrivedAt, place }, signal);
    } catch (error) {
      place?.release();
      throw error;
    } finally {
      releaseTurn();
    }
  }

  /** Returns where a session begins: in a folder, or in a session that the agent has. */
  private async findOrigin(
    { params, timeoutMs }: StartSessionRequest,
    command: AgentCommand,
    arrivedAt: number,
    signal: AbortSignal,
  ): Promise<Pick<PreparedStart, 'cwd' | 'continues'>> {
    const { sessions, folders, lister } = this.dependencies;
    const { resume: agentSessionId, fork: isFork = false, cwd } = params;
    if (agentSessionId === undefined) return { cwd: await folders.resolveFolder(cwd) };
    const existingId = isFork ? undefined : sessions.findContinuingSession(command.name, agentSessionId);
    if (existingId !== undefined)
      throw new CommandError('session_exists', 'A session continues this one of the agent already.', existingId);
    const { folder, title } = await lister.findOrigin(command, params, arrivedAt + timeoutMs, signal);
    return { cwd: folder, continues: { agentSessionId, isFork, title } };
  }

  private async reservePlace(signal: AbortSignal): Promise<AgentPlace | undefined> {
    try {
      return await this.dependencies.provider.reservePlace?.(signal);
    } catch (error) {
      throw signal.aborted ? createCancelledError() : error;
    }
  }

  private async startSession(start: PreparedStart, signal: AbortSignal): Promise<StartSessionResult> {
    const { tag } = start.request.params;
    if (tag === this.dependencies.session.tag || !this.reservations.reserveTag(tag)) throw createExistsError();
    try {
      await this.requireNewTag(tag).catch(throwBeforeSession);
      await this.findPlace(tag).catch(throwBeforeSession);
      const session = await this.createSession(tag, start, signal);
      return await this.beginWork(session, start, signal);
    } finally {
      this.reservations.release(tag);
    }
  }

  private async requireNewTag(tag: string): Promise<void> {
    const path = `/v1/sessions?tag=${encodeURIComponent(tag)}`;
    const { data } = await this.dependencies.device.callApi<DataEnvelope<SessionResource[]>>('GET', path);
    if (data.length > 0) throw createExistsError();
    await this.dependencies.sessions.forgetDeletedSession(tag);
  }

  /** Reserves a place. If there is none, forgets the sessions that have ended, and else ends an idle one. */
  private async findPlace(tag: string): Promise<void> {
    const { sessions, session } = this.dependencies;
    if (this.reservations.isFull) await sessions.forgetEndedSessions(session.id);
    const idleSessionId = this.reservations.isFull ? this.findReplaceableSession() : undefined;
    this.reservations.reservePlace(tag);
    if (idleSessionId !== undefined) await sessions.endSession(idleSessionId);
  }

  private findReplaceableSession(): string {
    const { sessions, clock, session: machineSession } = this.dependencies;
    const lastReplaceableAt = clock.now() - REPLACEABLE_AFTER_MS;
    const [oldest] = sessions.allQueues
      .filter(({ isIdle, session }) => isIdle && session.lastActiveAt <= lastReplaceableAt)
      .filter(({ session }) => session.id !== machineSession.id)
      .sort((a, b) => a.session.lastActiveAt - b.session.lastActiveAt);
    if (!oldest) throw new CommandError('busy', `The machine has ${MAX_SESSIONS} active sessions. End one of them.`);
    return oldest.session.id;
  }

  /** Asks again after a transient error: the session may exist, and only its answer be lost. */
  private async createSession(tag: string, start: PreparedStart, signal: AbortSignal): Promise<HostedSession> {
    const { command, cwd, request, arrivedAt } = start;
    const { device, machineId, description, backoff } = this.dependencies;
    const title = getFirstTitle(start) || tag;
    const metadata = { ...description, title, autoTitle: title, agent: command.name, cwd };
    const create = (): Promise<HostedSession> => openMachineSession(device, tag, machineId, metadata);
    const limitMs = limitWaitMs(Infinity, request.timeoutMs - (performance.now() - arrivedAt));
    let lastError: Error | undefined;
    const options = { backoff: new Backoff(backoff), waiting: (error: Error) => void (lastError = error) };
    const retry = (timeLimit: AbortSignal) => retryTransientErrors(create, { ...options, signal: timeLimit });
    return runWithTimeLimit(limitMs, signal, retry).catch((error: Error) => {
      if (signal.aborted) throw createCancelledError();
      if (error.name === 'TimeoutError') throw lastError ?? error;
      if (lastError && error instanceof CommandError) throw lastError; // An earlier attempt may have created it.
      const isConflict = error instanceof ApiResponseError && error.code === 'conflict';
      throw isConflict || error instanceof ForeignSessionError ? createExistsError() : error;
    });
  }

  /** Ends the session again if it can't begin. */
  private async beginWork(
    session: HostedSession,
    start: PreparedStart,
    signal: AbortSignal,
  ): Promise<StartSessionResult> {
    const { sessions, folders, onProblem } = this.dependencies;
    const { request, grantKey, command, cwd, continues } = start;
    try {
      const { mode, options, content } = request.params;
      const isTitled = getFirstTitle(start) !== '';
      const queue = await sessions.addSession(session, {
        ...{ command, cwd, folders, mode, options, isTitled },
        continues: continues && { agentSessionId: continues.agentSessionId, isFork: continues.isFork },
      });
      // Before the turn, so that the caller can read from its first message on.
      const granted = await grantKey(session);
      // Whether the agent can continue its session is known before the first message is.
      const agentState = content === null || continues ? await this.startAgent(queue, start, signal) : undefined;
      const begun =
        content === null
          ? { turn: null, agentState }
          : { turn: await this.beginFirstTurn(queue, start, content, signal) };
      return { sessionId: session.id, ...begun, ...granted };
    } catch (error) {
      await sessions.endSession(session.id).catch((endError: Error) => onProblem(endError.message));
      // `busy` means that nothing was done, but the tag can't be used again.
      if (error instanceof CommandError && error.code === 'busy') throw new CommandError('internal', error.message);
      throw error;
    }
  }

  private async beginFirstTurn(
    queue: TurnQueue,
    { request, files, arrivedAt }: PreparedStart,
    content: string,
    signal: AbortSignal,
  ): Promise<TurnSummary> {
    const turn = await this.dependencies.acceptance.acceptMessage(queue, request, { content }, { files });
    const leftMs = request.timeoutMs - (performance.now() - arrivedAt);
    const waitMs = limitWaitMs(request.params.waitMs, leftMs);
    await waitForTurn(queue, turn, waitMs, signal);
    await findStoredMessage(queue, turn, turn.messageStored, waitMs);
    return turn.summary;
  }

  /** Waits for the agent until the caller's time is over. Only the caller's cancellation stops it. */
  private async startAgent(
    queue: TurnQueue,
    { request: { params, timeoutMs }, continues, arrivedAt, place }: PreparedStart,
    signal: AbortSignal,
  ): Promise<AgentState> {
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const started = this.acquireAgent(queue, place, controller.signal);
    queue.delayTurnsUntil(started);
    this.reportFailure(queue, started);
    const elapsedMs = performance.now() - arrivedAt;
    const waitMs = Math.max(params.waitMs, MIN_START_WAIT_MS) - elapsedMs;
    const limitMs = limitWaitMs(continues ? Math.max(waitMs, MIN_CONTINUE_WAIT_MS) : waitMs, timeoutMs - elapsedMs);
    const timeout = sleep(limitMs, 'starting' as const, { ref: false });
    try {
      return await Promise.race([started.then(() => 'ready' as const), timeout]);
    } catch (error) {
      throw signal.aborted ? createCancelledError() : toStartError(error as Error);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  private async acquireAgent({ session }: TurnQueue, place: AgentPlace | undefined, signal: AbortSignal) {
    const request = { ...session.createRequest(), place };
    const lease = await this.dependencies.provider.acquireSession(session.id, request, signal);
    await session.applyLease(lease).finally(() => lease.release());
  }

  /** Tells the machine's user why an agent did not start, also after the answer. The next turn tries again. */
  private reportFailure({ session }: TurnQueue, started: Promise<void>): void {
    started.catch((error: Error) => {
      if (error.name === 'AbortError') return;
      const problem = toStartError(error).message.replaceAll('\n', ' | ');
      this.dependencies.onProblem(`The session "${session.hosted.tag}": ${problem}`);
    });
  }
}

/** Returns the title that a session gets when it is created; empty if there is none yet. */
const getFirstTitle = ({ request, continues }: PreparedStart): string =>
  continues?.title || toMessageTitle(request.params.content ?? '');
