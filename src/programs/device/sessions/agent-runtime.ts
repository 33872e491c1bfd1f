import type { AgentCommand, AgentSessionProvider } from '../agent/agent-session';
import type { HostedSession } from '../history/session-history';
import type { HistoryWriter } from '../history/history-writer';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { registerMachine, toAnnouncedAgents } from '../machine/registration';
import type { RelayHandlers } from '../machine/relay-request-handler';
import { createUnsealingHandler, type TextMessageHandler } from '../machine/sealed-messages';
import { retryTransientErrors } from '../machine/retry';
import type { ServerClock } from '../machine/server-clock';
import { PermissionRegistry } from '../permissions/permission-registry';
import type { PermissionPolicy } from '../permissions/permission-policy';
import type { SignedInDevice } from '../signed-in-device';
import { StateReporter } from '../turns/state-reporter';
import { TurnAcceptance } from '../turns/turn-acceptance';
import { createCancelTurnHandler, createTurnMessageHandler } from '../turns/turn-handlers';
import type { TurnJournal } from '../turns/turn-journal';
import { TurnStore } from '../turns/turn-store';
import { AgentSessionRegistry } from './agent-session-registry';
import { AllowedFolders } from './allowed-folders';
import { endSession, StartSessionHandler } from './start-session-handler';

const DEFAULT_PERMISSION_TIMEOUT_MS = 10 * 60 * 1_000;

/** The agents of a machine. */
export interface AgentOptions {
  /** At least one; the first is the default. */
  commands: readonly AgentCommand[];
  provider: AgentSessionProvider;
  /** Default: `ask` where the service can pass on decisions, else `reject`. */
  permissions?: PermissionPolicy;
  /** How long an agent's request waits for a decision, in ms. Default: 10 minutes. */
  permissionTimeoutMs?: number;
  /** Folders in which callers may start sessions. Default: the working directory. */
  allowedFolders?: readonly string[];
}

export interface AgentRuntimeDependencies {
  device: SignedInDevice;
  machineId: string;
  /** Session that the machine hosts from its start. */
  session: HostedSession;
  workingDirectory: string;
  description: { name: string; platform: string };
  journal: TurnJournal;
  history: HistoryWriter;
  capabilities: CapabilityNegotiation;
  clock: ServerClock;
  liveOutput: LiveOutputRequests;
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

/** Runs agents in the sessions that this machine hosts. */
export class AgentRuntime {
  private isFirstReport = true;
  private readonly stopController = new AbortController();
  private readonly folders: AllowedFolders;

  private constructor(
    private readonly options: AgentOptions,
    private readonly dependencies: AgentRuntimeDependencies,
    private readonly reporter: StateReporter,
    private readonly store: TurnStore,
    private readonly permissions: PermissionRegistry,
    private readonly sessions: AgentSessionRegistry,
    private readonly acceptance: TurnAcceptance,
  ) {
    this.folders = new AllowedFolders(dependencies.workingDirectory, options.allowedFolders);
  }

  /** Restores the turns of an earlier run, and continues those that were not prompted. */
  static async openRuntime(options: AgentOptions, dependencies: AgentRuntimeDependencies): Promise<AgentRuntime> {
    const { permissionTimeoutMs: timeoutMs = DEFAULT_PERMISSION_TIMEOUT_MS } = options;
    const reporter = new StateReporter(dependencies);
    const store = await TurnStore.openFromJournal({ ...dependencies, reporter });
    const permissions = new PermissionRegistry({ ...dependencies, policy: options.permissions, timeoutMs, reporter });
    const sessions = new AgentSessionRegistry({ ...options, ...dependencies, permissions });
    const acceptance = new TurnAcceptance(store);
    const runtime = new AgentRuntime(options, dependencies, reporter, store, permissions, sessions, acceptance);
    try {
      await runtime.openSessions();
      return runtime;
    } catch (error) {
      // Turns of an earlier run may have started agents already.
      await runtime.stop().catch(() => undefined);
      await runtime.closeReporter();
      throw error;
    }
  }

  /** @param handleForeignMessage answers messages of sessions that this device doesn't host */
  createHandlers(handleForeignMessage: TextMessageHandler): RelayHandlers {
    const { sessions, store, acceptance, permissions, dependencies, folders } = this;
    const { device, capabilities } = dependencies;
    const turnDependencies = { sessions, store, acceptance, capabilities };
    const { provider } = this.options;
    const startHandler = new StartSessionHandler({ ...dependencies, sessions, acceptance, provider, folders });
    const handleOtherMessage: TextMessageHandler = async (request, signal) => {
      const refusal = sessions.findRefusal(request.sessionId);
      if (refusal) throw refusal;
      return handleForeignMessage(request, signal);
    };
    return {
      'session.message': createUnsealingHandler(
        createTurnMessageHandler(turnDependencies, handleOtherMessage),
        (sessionId) => sessions.findQueue(sessionId)?.session.hosted,
      ),
      'session.cancel': createCancelTurnHandler(turnDependencies),
      'session.permission': ({ sessionId, params }) =>
        Promise.resolve().then(() => permissions.decideRequest(sessionId, params)),
      'session.start': startHandler.handleRequest,
      'session.end': async ({ sessionId = '' }) => {
        await endSession(device, sessions, sessionId);
        return { state: 'ended' };
      },
    };
  }

  /** Fails the running turns, which can't be continued. Queued turns stay in the journal for the next start. */
  async stop(): Promise<void> {
    this.stopController.abort();
    await this.sessions.stopTurns();
  }

  /** Waits briefly for the service. */
  async closeReporter(): Promise<void> {
    await this.reporter.close();
  }

  private async openSessions(): Promise<void> {
    const { session, workingDirectory: cwd, capabilities, liveOutput } = this.dependencies;
    const [command] = this.options.commands;
    if (command) await this.sessions.addSession(session, { command, cwd, mode: null });
    await this.sessions.restoreSessions(this.folders);
    await this.acceptance.resumeTurns((sessionId) => this.sessions.findQueue(sessionId));
    capabilities.onHello(() => void this.reportToService());
    liveOutput.onSessionWatched((sessionId) => this.sessions.findQueue(sessionId)?.session.deltas.scheduleDelta());
  }

  /** Announces the agents, and reports what this device has lost, once the service accepts turns. */
  private async reportToService(): Promise<void> {
    const { capabilities, backoff, onProblem } = this.dependencies;
    if (!capabilities.areTurnsAccepted || !this.isFirstReport) return;
    this.isFirstReport = false;
    const { signal } = this.stopController;
    const attempt = async (operation: () => Promise<unknown>): Promise<void> => {
      if (signal.aborted) return;
      await retryTransientErrors(operation, { backoff: new Backoff(backoff), signal }).catch((error: Error) => {
        if (!signal.aborted) onProblem(error.message);
      });
    };
    if (capabilities.isAccepted('session.start')) await attempt(() => this.announceAgents());
    // One session may have been deleted. The others are treated all the same.
    for (const { session } of this.sessions.allQueues) {
      await attempt(() => this.permissions.cancelLostRequests(session.id));
      await attempt(() => this.store.reportLostTurns(session.id));
    }
  }

  private async announceAgents(): Promise<void> {
    const { device, description } = this.dependencies;
    await registerMachine(device, description, toAnnouncedAgents(this.options.commands));
    if (device.state.areAgentsAnnounced) return;
    device.state.areAgentsAnnounced = true;
    await device.saveState();
  }
}
