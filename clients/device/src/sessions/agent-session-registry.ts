import type { OptionValues } from '@external-api/protocol';
import type { AgentCommand } from '../agent/agent-session';
import type { SessionResource } from '../api-resources';
import { isTransient } from '../client-errors';
import { findDataKey, removeDataKey, type DeviceState, type StoredAgentSession } from '../device-state';
import { CommandError } from '../exec/command-error';
import { killLeftoverGroup } from '../exec/process-identity';
import type { HistoryWriter } from '../history/history-writer';
import { SessionHistory, type HostedSession } from '../history/session-history';
import type { StateReporter } from '../turns/state-reporter';
import { TurnQueue } from '../turns/turn-queue';
import type { TurnRunDependencies } from '../turns/turn-run';
import type { AllowedFolders } from './allowed-folders';
import { HostedAgentSession, type HostedAgentSessionDependencies } from './hosted-agent-session';

/** Ended sessions with an untrusted prompt that are remembered. Apps can't fill the list, since they end no session. */
const MAX_UNTRUSTED_SESSIONS = 1_000;
/** Change that ends the record of a session. */
const ENDED = { state: 'ended' };

export interface AgentSessionRegistryDependencies extends HostedAgentSessionDependencies, TurnRunDependencies {
  /** The machine's agents; the first is the default. */
  commands: readonly AgentCommand[];
  history: HistoryWriter;
  /** Ends the records of sessions that the service has not ended at once. */
  reporter: StateReporter;
}

/** What a new session's agent is, and where it works. */
export interface SessionPlace {
  command: AgentCommand;
  cwd: string;
  /** Folders that `cwd` must be in at each start of the agent. */
  folders: AllowedFolders;
  mode: string | null;
  /** Values of the agent's options. Default: none. */
  options?: OptionValues;
  /** Whether the session got its title when it was created. */
  isTitled?: boolean;
  /** The session of another client that it continues. */
  continues?: StoredAgentSession['continues'];
}

/** The sessions that this device runs an agent in, each with its queue of turns. Remembers them across restarts. */
export class AgentSessionRegistry {
  private readonly queues = new Map<string, TurnQueue>();
  /** By session id */
  private readonly refusals = new Map<string, CommandError>();

  constructor(private readonly dependencies: AgentSessionRegistryDependencies) {}

  /**
   * Adds the sessions of an earlier run. Leaves out those whose agent or data key the machine no longer has: messages
   * to them are refused. A folder that is missing may come back, so each message and each turn checks it. Goes on with
   * the ends that the service has not taken.
   */
  restoreSessions(folders: AllowedFolders): void {
    const { device, onProblem } = this.dependencies;
    for (const id of device.state.endingSessions ?? []) {
      this.refusals.set(id, createEndedError());
      this.endRecordLater(id);
    }
    for (const [id, stored] of Object.entries(device.state.agentSessions ?? {})) {
      if (this.queues.has(id)) continue;
      try {
        this.restoreSession(id, stored, folders);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        this.refusals.set(id, error);
        onProblem(`The session "${stored.tag}" is not continued: ${error.message}`);
      }
    }
  }

  /** Adds a session. Continues the agent's session of an earlier run with the same agent in the same folder. */
  async addSession(session: HostedSession, place: SessionPlace): Promise<TurnQueue> {
    const { device, clock } = this.dependencies;
    const { command, cwd, folders, mode, options, isTitled = false, continues } = place;
    const agentSessions = (device.state.agentSessions ??= {});
    const known = agentSessions[session.id];
    if (known?.agent === command.name && known.cwd === cwd) return this.addQueue(session, { command, folders }, known);
    const lastActiveAt = clock.now();
    const origin = { tag: session.tag, agent: command.name, cwd, mode, lastActiveAt, continues };
    const hasUntrustedPrompt = continues && this.hasUntrustedPrompt(command.name, continues.agentSessionId);
    const stored = {
      ...origin,
      ...(options && { options }),
      agentSessionId: null,
      isUntitled: !isTitled,
      hasUntrustedPrompt,
    };
    agentSessions[session.id] = stored;
    await device.saveState();
    return this.addQueue(session, { command, folders }, stored);
  }

  /**
   * Ends a session: cancels its turns, stops its agent, and ends its record.
   * @throws ApiResponseError, UnreachableError: if a later attempt may succeed, the record ends as soon as it does
   */
  async endSession(sessionId: string): Promise<void> {
    const { state } = this.dependencies.device;
    state.endingSessions = [...this.listOtherEnds(sessionId), sessionId];
    await this.removeSession(sessionId);
    // Before the service is asked, which may not answer until this process ends.
    await this.saveState();
    try {
      await this.endRecord(sessionId);
    } catch (error) {
      // No agent works in the session any more, and nobody else ends it: its caller may not know it.
      if (isTransient(error)) this.endRecordLater(sessionId);
      else await this.forgetEnd(sessionId);
      throw error;
    }
    await this.forgetEnd(sessionId);
  }

  /**
   * Forgets sessions without turns that an account device has ended or deleted, of which nobody tells this device.
   * @param remainingId the session that stays in any case
   * @throws ApiResponseError, UnreachableError
   */
  async forgetEndedSessions(remainingId: string): Promise<void> {
    // Before the service is asked: a session that begins meanwhile may be missing in its answer.
    const queues = this.allQueues;
    const activeIds = new Set([remainingId]);
    const active = this.dependencies.device.iterateItems<SessionResource>('/v1/sessions?state=active');
    for await (const { id } of active) activeIds.add(id);
    for (const queue of queues)
      if (queue.isIdle && !activeIds.has(queue.session.id)) await this.removeSession(queue.session.id);
  }

  /**
   * Forgets what there is of a session that the service says it doesn't have, and its data key. A new session with the
   * tag gets a key of its own: a service that hides a session would have its key granted with the new one otherwise.
   */
  async forgetDeletedSession(tag: string): Promise<void> {
    const { state } = this.dependencies.device;
    for (const [id, stored] of Object.entries(state.agentSessions ?? {}))
      if (stored.tag === tag) await this.removeSession(id);
    removeDataKey(state, tag);
  }

  /**
   * Cancels the session's turns, stops its agent and forgets it. Does nothing for an unknown session. If the key file
   * can't be written, the next write forgets the session.
   */
  private async removeSession(sessionId: string): Promise<void> {
    const { device, provider, attachmentFolder, onProblem } = this.dependencies;
    const queue = this.queues.get(sessionId);
    if (queue) {
      this.queues.delete(sessionId);
      this.refusals.set(sessionId, createEndedError());
      await queue.cancelAllTurns();
      await provider.stopSession(sessionId);
    }
    // Also those of a session that is not continued, since the machine no longer has its agent.
    await attachmentFolder.deleteFiles(sessionId).catch((error: Error) => onProblem(error.message));
    // The record of an ended session can't be changed.
    await queue?.session.waitUntilShown();
    const stored = device.state.agentSessions?.[sessionId];
    if (!stored) return;
    if (stored.hasUntrustedPrompt && stored.agentSessionId !== null) {
      const untrusted = [...(device.state.untrustedAgentSessions ?? []), `${stored.agent}:${stored.agentSessionId}`];
      device.state.untrustedAgentSessions = untrusted.slice(-MAX_UNTRUSTED_SESSIONS);
    }
    delete device.state.agentSessions![sessionId];
    await this.saveState();
  }

  private async endRecord(sessionId: string): Promise<void> {
    await this.dependencies.device.callApi('PATCH', buildSessionPath(sessionId), ENDED);
  }

  /** Ends the record as soon as the service takes it. */
  private endRecordLater(sessionId: string): void {
    const { reporter } = this.dependencies;
    const path = buildSessionPath(sessionId);
    void reporter
      .reportState(path, ENDED, () => this.endRecord(sessionId))
      .then(async () => {
        // Otherwise a second call has replaced this attempt.
        if (!reporter.isWaiting(path)) await this.forgetEnd(sessionId);
      });
  }

  private listOtherEnds(sessionId: string): string[] {
    return (this.dependencies.device.state.endingSessions ?? []).filter((id) => id !== sessionId);
  }

  private async forgetEnd(sessionId: string): Promise<void> {
    this.dependencies.device.state.endingSessions = this.listOtherEnds(sessionId);
    await this.saveState();
  }

  /** Never rejects: the next write has the state as well. */
  private async saveState(): Promise<void> {
    const { device, onProblem } = this.dependencies;
    await device.saveState().catch((error: Error) => onProblem(`The key file can't be written: ${error.message}`));
  }

  /** @param name null: the default agent */
  findCommand(name: string | null): AgentCommand | undefined {
    const { commands } = this.dependencies;
    return name === null ? commands[0] : commands.find((command) => command.name === name);
  }

  findQueue(sessionId: string | undefined): TurnQueue | undefined {
    return sessionId === undefined ? undefined : this.queues.get(sessionId);
  }

  /** Returns the id of the session that goes on with this session of an agent. */
  findContinuingSession(agentName: string, agentSessionId: string): string | undefined {
    return this.allQueues.find(({ session }) => session.isSessionOfAgent(agentName, agentSessionId))?.session.id;
  }

  /** Whether an app has prompted this session of an agent: what it said is still there, in copies as well. */
  private hasUntrustedPrompt(agentName: string, agentSessionId: string): boolean {
    const { agentSessions = {}, untrustedAgentSessions = [] } = this.dependencies.device.state;
    const isSame = (stored: StoredAgentSession) =>
      stored.agent === agentName && stored.agentSessionId === agentSessionId;
    return (
      untrustedAgentSessions.includes(`${agentName}:${agentSessionId}`) ||
      Object.values(agentSessions).some((stored) => stored.hasUntrustedPrompt && isSame(stored))
    );
  }

  /** Returns why messages to a session of this machine's agents can't be answered; undefined for other sessions. */
  findRefusal(sessionId: string | undefined): CommandError | undefined {
    return sessionId === undefined ? undefined : this.refusals.get(sessionId);
  }

  get allQueues(): TurnQueue[] {
    return [...this.queues.values()];
  }

  /** Starts no more turns, fails the running ones and waits for their end. */
  async stopTurns(): Promise<void> {
    for (const queue of this.queues.values()) queue.stopStarting();
    await this.dependencies.provider.stopAll();
    await Promise.all(this.allQueues.map((queue) => queue.waitUntilStopped()));
  }

  /** @throws CommandError */
  private restoreSession(id: string, stored: StoredAgentSession, folders: AllowedFolders): void {
    const { state } = this.dependencies.device;
    const command = this.findCommand(stored.agent);
    if (!command) throw new CommandError('agent_not_found', `The machine has no agent "${stored.agent}".`);
    const dataKey = findDataKey(state, stored.tag);
    if (!dataKey) throw new CommandError('internal', 'The machine has lost the data key of the session.');
    const session = { accountId: state.account?.id ?? '', id, tag: stored.tag, dataKey };
    this.addQueue(session, { command, folders }, stored);
  }

  private addQueue(
    session: HostedSession,
    { command, folders }: Pick<SessionPlace, 'command' | 'folders'>,
    stored: StoredAgentSession,
  ): TurnQueue {
    const { dependencies } = this;
    const history = new SessionHistory(session, dependencies.history);
    const hostedSession = new HostedAgentSession(history, command, stored, folders, dependencies);
    const queue = new TurnQueue(hostedSession, dependencies);
    this.queues.set(session.id, queue);
    return queue;
  }
}

const buildSessionPath = (sessionId: string): string => `/v1/sessions/${encodeURIComponent(sessionId)}`;

const createEndedError = (): CommandError => new CommandError('agent_not_found', 'The session has ended.');

/**
 * Kills agents that a killed run of this program has left, with all that they have started. Most end with the device.
 * Any other would go on with a turn that has failed, and beside the agent that loads its session next.
 */
export async function killLeftoverAgents({ agentSessions = {} }: DeviceState): Promise<void> {
  for (const { process } of Object.values(agentSessions)) if (process) await killLeftoverGroup(process);
}
