import type { DeviceErrorCode, StartSessionRequest, StartSessionResult } from '@external-api/protocol';
import { AgentError } from '../agent/agent-error';
import type { AgentCommand, AgentSessionProvider } from '../agent/agent-session';
import type { DataEnvelope, SessionResource } from '../api-resources';
import { ApiResponseError } from '../client-errors';
import { CommandError, findCommandError } from '../exec/command-error';
import { prepareStartGrant } from '../grants/start-grant';
import type { HostedSession } from '../history/session-history';
import { ForeignSessionError, openMachineSession } from '../machine/registration';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import type { ServerClock } from '../machine/server-clock';
import type { SignedInDevice } from '../signed-in-device';
import { runWithTimeLimit } from '../time-limit';
import type { Turn } from '../turns/turn';
import type { TurnAcceptance } from '../turns/turn-acceptance';
import { limitWaitMs, waitForTurn } from '../turns/turn-handlers';
import type { TurnQueue } from '../turns/turn-queue';
import type { AgentSessionRegistry } from './agent-session-registry';
import type { AllowedFolders } from './allowed-folders';
import { MAX_SESSIONS, SessionReservations } from './session-reservations';

/** A session without a turn for this long is ended when another one needs its place. */
const REPLACEABLE_AFTER_MS = 7 * 86_400_000;

export interface StartSessionDependencies {
  device: SignedInDevice;
  machineId: string;
  /** Session that the machine hosts from its start. It is not ended for another one. */
  session: HostedSession;
  clock: ServerClock;
  sessions: AgentSessionRegistry;
  acceptance: TurnAcceptance;
  provider: AgentSessionProvider;
  folders: AllowedFolders;
  /** Whether callers may have the keys of the sessions that they start. */
  allowsGrants: boolean;
  /** Name and platform of this device, for the session's metadata. */
  description: { name: string; platform: string };
  onProblem: (problem: string) => void;
}

/** A start whose parameters are valid. */
interface PreparedStart {
  request: StartSessionRequest;
  grantKey: Awaited<ReturnType<typeof prepareStartGrant>>;
  command: AgentCommand;
  cwd: string;
}

/** Starts sessions with an agent (docs/protocol/agents.md#start-a-session). */
export class StartSessionHandler {
  private readonly reservations: SessionReservations;

  constructor(private readonly dependencies: StartSessionDependencies) {
    const { sessions } = dependencies;
    this.reservations = new SessionReservations(() => sessions.allQueues.map(({ session }) => session.hosted.tag));
  }

  /**
   * Answers without a first message when the agent's session is ready, else like a message. If it fails, there is no
   * new session, or it has ended.
   * @throws CommandError `agent_not_found`, `agent_auth_required`, `agent_start_failed`, `mode_not_found`,
   *   `cwd_not_found`, `cwd_not_allowed`, `session_exists`, `busy`, `cancelled`, `internal`
   */
  readonly handleRequest: RelayMethodHandler<'session.start'> = async (request, signal) => {
    const { agent, cwd, content } = request.params;
    const { device, sessions, folders, acceptance, allowsGrants } = this.dependencies;
    const command = sessions.findCommand(agent);
    if (!command) throw new CommandError('agent_not_found', 'The machine has no such agent.');
    const folder = await folders.resolveFolder(cwd);
    const grantKey = await prepareStartGrant(device, request, allowsGrants);
    // Without a place for the first turn there must be no session: its tag could not be used again.
    const releaseTurn = content === null ? () => undefined : acceptance.reserveTurn(request.requestId);
    try {
      return await this.startSession({ request, grantKey, command, cwd: folder }, signal);
    } finally {
      releaseTurn();
    }
  };

  private async startSession(start: PreparedStart, signal: AbortSignal): Promise<StartSessionResult> {
    const { tag } = start.request.params;
    if (!this.reservations.reserveTag(tag)) throw createExistsError();
    try {
      await this.requireNewTag(tag);
      await this.findPlace(tag);
      const session = await this.createSession(tag, start);
      return await this.beginWork(session, start, signal);
    } finally {
      this.reservations.release(tag);
    }
  }

  private async requireNewTag(tag: string): Promise<void> {
    const path = `/v1/sessions?tag=${encodeURIComponent(tag)}`;
    const { data } = await this.dependencies.device.callApi<DataEnvelope<SessionResource[]>>('GET', path);
    if (data.length > 0) throw createExistsError();
  }

  /** Reserves a place. Ends an idle session if there is none. */
  private async findPlace(tag: string): Promise<void> {
    const { sessions, device } = this.dependencies;
    const idleSessionId = this.reservations.isFull ? this.findReplaceableSession() : undefined;
    this.reservations.reservePlace(tag);
    if (idleSessionId !== undefined) await endSession(device, sessions, idleSessionId);
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

  private async createSession(tag: string, { command, cwd }: PreparedStart): Promise<HostedSession> {
    const { device, machineId, description } = this.dependencies;
    const metadata = { ...description, title: tag, agent: command.name, cwd };
    return openMachineSession(device, tag, machineId, metadata).catch((error: unknown) => {
      const isConflict = error instanceof ApiResponseError && error.code === 'conflict';
      throw isConflict || error instanceof ForeignSessionError ? createExistsError() : error;
    });
  }

  /** Ends the session again if it can't begin. */
  private async beginWork(
    session: HostedSession,
    { request, grantKey, ...place }: PreparedStart,
    signal: AbortSignal,
  ): Promise<StartSessionResult> {
    const { device, sessions, folders, onProblem } = this.dependencies;
    try {
      const queue = await sessions.addSession(session, { ...place, folders, mode: request.params.mode });
      // Before the turn, so that the caller can read from its first message on.
      const granted = await grantKey(session);
      const turn = await this.beginFirstTurn(queue, request, signal);
      return { sessionId: session.id, turn: turn?.summary ?? null, ...granted };
    } catch (error) {
      await endSession(device, sessions, session.id).catch((endError: Error) => onProblem(endError.message));
      throw error;
    }
  }

  private async beginFirstTurn(
    queue: TurnQueue,
    request: StartSessionRequest,
    signal: AbortSignal,
  ): Promise<Turn | undefined> {
    const { content, waitMs } = request.params;
    if (content === null) {
      const started = this.startAgent(queue, request.timeoutMs, signal);
      queue.delayTurnsUntil(started);
      await started;
      return undefined;
    }
    const turn = await this.dependencies.acceptance.acceptMessage(queue, request, content);
    await waitForTurn(queue, turn, limitWaitMs(waitMs, request.timeoutMs), signal);
    return turn;
  }

  private async startAgent({ session }: TurnQueue, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const limitMs = limitWaitMs(timeoutMs, timeoutMs);
    try {
      const lease = await runWithTimeLimit(limitMs, signal, (stop) =>
        this.dependencies.provider.acquireSession(session.id, session.createRequest(), stop),
      );
      await session.applyLease(lease).finally(() => lease.release());
    } catch (error) {
      if (signal.aborted) throw new CommandError('cancelled', 'The call was cancelled before the agent had started.');
      throw toStartError(error as Error);
    }
  }
}

/** Ends a session: cancels its turns, stops its agent, and ends its record. */
export async function endSession(
  device: SignedInDevice,
  sessions: AgentSessionRegistry,
  sessionId: string,
): Promise<void> {
  await sessions.removeSession(sessionId);
  await device.callApi('PATCH', `/v1/sessions/${encodeURIComponent(sessionId)}`, { state: 'ended' });
}

const createExistsError = (): CommandError => new CommandError('session_exists', 'A session with this tag exists.');

function toStartError(error: Error): CommandError {
  const { message } = findCommandError(error) ?? error;
  return new CommandError(findErrorCode(error), `The agent could not be started: ${message}`);
}

/** Reasons why an agent can't be started that the caller can act on. */
const START_ERROR_CODES: Partial<Record<DeviceErrorCode, DeviceErrorCode>> = {
  // A program that is not installed is an agent that the machine does not have.
  command_not_found: 'agent_not_found',
  cwd_not_found: 'cwd_not_found',
  cwd_not_allowed: 'cwd_not_allowed',
  mode_not_found: 'mode_not_found',
};

function findErrorCode(error: Error): DeviceErrorCode {
  if (error instanceof AgentError && error.code === 'agent_auth_required') return 'agent_auth_required';
  const commandError = findCommandError(error);
  const knownCode = commandError && START_ERROR_CODES[commandError.code];
  return knownCode ?? (error instanceof ApiResponseError ? 'internal' : 'agent_start_failed');
}
