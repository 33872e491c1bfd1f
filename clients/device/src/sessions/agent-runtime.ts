import type { AgentCommand, AgentSession, AgentSessionProvider } from '../agent/agent-session';
import type { DataEnvelope, SessionResource } from '../api-resources';
import { TurnArtifactStore } from '../artifacts/turn-artifact-store';
import type { AttachmentFolder } from '../attachments/attachment-folder';
import { AttachmentReader } from '../attachments/attachment-reader';
import type { HostedSession } from '../history/session-history';
import type { HistoryWriter } from '../history/history-writer';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { registerMachine, withoutOptions } from '../machine/registration';
import type { RelayHandlers } from '../machine/relay-request-handler';
import { createUnsealingHandler, type TextMessageHandler } from '../machine/sealed-messages';
import { retryTransientErrors } from '../machine/retry';
import type { ServerClock } from '../machine/server-clock';
import { createDecisionHandler } from '../permissions/decision-handler';
import { PermissionRegistry } from '../permissions/permission-registry';
import type { PermissionPolicy } from '../permissions/permission-policy';
import type { SignedInDevice } from '../signed-in-device';
import { StateReporter } from '../turns/state-reporter';
import { TurnAcceptance } from '../turns/turn-acceptance';
import { createCancelTurnHandler, createTurnMessageHandler } from '../turns/turn-handlers';
import type { TurnJournal } from '../turns/turn-journal';
import { TurnStore } from '../turns/turn-store';
import type { PermissionRule } from '../rules/permission-rule';
import { RuleSet } from '../rules/rule-set';
import { canListSessions, findAnnouncedAgents, learnAgent } from './agent-catalog';
import { describeDecider, type AgentDecider } from './agent-decider';
import { AgentSessionLister } from './agent-session-lister';
import { AgentSessionRegistry, killLeftoverAgents } from './agent-session-registry';
import { AllowedFolders } from './allowed-folders';
import { createChangeOptionsHandler, createReadOptionsHandler } from './session-options-handlers';
import { StartSessionHandler } from './start-session-handler';

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
  /** How often the service is told that an agent works, in ms. Default: 10 s. */
  activityIntervalMs?: number;
  /** Folders in which callers may start sessions. Default: the working directory. */
  allowedFolders?: readonly string[];
  /** Whether callers may have the keys of the sessions that they start. Default: true. */
  allowsGrants?: boolean;
  /** Whether callers may choose no mode in which an agent decides by itself. Default: false. */
  locksMode?: boolean;
  /** What the owner has decided about some requests, whatever `permissions` is. */
  rules?: readonly PermissionRule[];
}

export interface AgentRuntimeDependencies {
  device: SignedInDevice;
  machineId: string;
  /** Session that the machine hosts from its start. */
  session: HostedSession;
  workingDirectory: string;
  description: { name: string; platform: string };
  journal: TurnJournal;
  attachmentFolder: AttachmentFolder;
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
  private isReportDue = false;
  private isReporting = false;
  private isAnnouncementDue = false;
  private lastAnnouncement: Promise<void> = Promise.resolve();
  private readonly stopController = new AbortController();
  private readonly folders: AllowedFolders;
  /** The machine's own session works in its folder, whether or not callers may start others there. */
  private readonly ownFolders: AllowedFolders;

  private constructor(
    private readonly options: AgentOptions,
    private readonly dependencies: AgentRuntimeDependencies,
    private readonly reporter: StateReporter,
    private readonly store: TurnStore,
    private readonly permissions: PermissionRegistry,
    private readonly sessions: AgentSessionRegistry,
    private readonly acceptance: TurnAcceptance,
    private readonly artifactStore: TurnArtifactStore,
  ) {
    this.folders = new AllowedFolders(dependencies.workingDirectory, options.allowedFolders);
    this.ownFolders = new AllowedFolders(dependencies.workingDirectory);
  }

  /** Restores the turns of an earlier run, and continues those that were not prompted. */
  static async openRuntime(options: AgentOptions, dependencies: AgentRuntimeDependencies): Promise<AgentRuntime> {
    await killLeftoverAgents(dependencies.device.state);
    const { permissions: policy, permissionTimeoutMs: timeoutMs = DEFAULT_PERMISSION_TIMEOUT_MS } = options;
    const reporter = new StateReporter(dependencies);
    const store = await TurnStore.openFromJournal({ ...dependencies, reporter });
    const rules = new RuleSet(options.rules ?? []);
    const permissions = new PermissionRegistry({ ...dependencies, policy, rules, timeoutMs, reporter });
    const artifactStore = new TurnArtifactStore({ ...dependencies, closeSignal: reporter.closeSignal });
    const attachmentReader = new AttachmentReader(dependencies);
    const sessions = new AgentSessionRegistry({
      ...options,
      ...dependencies,
      ...{ permissions, artifactStore, attachmentReader, store, permissionPolicy: policy, hasRules: rules.size > 0 },
      reporter,
      locksMode: options.locksMode ?? false,
      onAgentSeen: (command, session) => runtime.learnAgent(command, session),
    });
    const acceptance = new TurnAcceptance(store, attachmentReader, dependencies.history, dependencies.onProblem);
    const parts = [reporter, store, permissions, sessions, acceptance, artifactStore] as const;
    const runtime = new AgentRuntime(options, dependencies, ...parts);
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
    const { capabilities } = dependencies;
    const turnDependencies = { sessions, store, acceptance, capabilities };
    const { commands, provider, allowsGrants = true } = this.options;
    const resolveOwnFolder = () => this.ownFolders.resolveFolder(null);
    const lister = new AgentSessionLister({ commands, provider, sessions, folders, resolveOwnFolder });
    const start = { ...dependencies, sessions, acceptance, provider, lister, folders, allowsGrants };
    const startHandler = new StartSessionHandler(start);
    const findSession = (sessionId: string | undefined) => sessions.findQueue(sessionId)?.session.hosted;
    const handleOtherMessage: TextMessageHandler = async (request, signal) => {
      const refusal = sessions.findRefusal(request.sessionId);
      if (refusal) throw refusal;
      return handleForeignMessage(request, signal);
    };
    return {
      'session.message': createUnsealingHandler(
        createTurnMessageHandler(turnDependencies, handleOtherMessage),
        findSession,
      ),
      'session.cancel': createCancelTurnHandler(turnDependencies),
      'session.permission': createDecisionHandler({ permissions, acceptance, sessions }),
      'session.start': startHandler.handleRequest,
      'agent.sessions': lister.handleRequest,
      'session.options': createReadOptionsHandler({ sessions, provider }),
      'session.configure': createChangeOptionsHandler({ sessions, provider }),
      'session.end': async ({ sessionId = '' }) => {
        await sessions.endSession(sessionId);
        return { state: 'ended' };
      },
    };
  }

  get waitingReportCount(): number {
    return this.reporter.waitingCount;
  }

  get waitingArtifactCount(): number {
    return this.artifactStore.waitingCount;
  }

  /** Who decides what each agent may do in a new session. */
  get deciders(): AgentDecider[] {
    const { commands, permissions, rules } = this.options;
    const policy = { permissions, rules: rules?.length };
    return commands.map((command) => describeDecider(command, this.dependencies.device.state, policy));
  }

  /** Fails the running turns, which can't be continued. Queued turns stay in the journal for the next start. */
  async stop(): Promise<void> {
    this.stopController.abort();
    await this.sessions.stopTurns();
    await this.dependencies.attachmentFolder.close();
  }

  /** Waits briefly for the service. */
  async closeReporter(): Promise<void> {
    await this.reporter.close();
  }

  private async openSessions(): Promise<void> {
    const { session, workingDirectory: cwd, capabilities, liveOutput } = this.dependencies;
    const [command] = this.options.commands;
    this.withdrawUnserved();
    if (command) await this.sessions.addSession(session, { command, cwd, folders: this.ownFolders, mode: null });
    this.sessions.restoreSessions(this.folders);
    await this.acceptance.resumeTurns((sessionId) => this.sessions.findQueue(sessionId));
    capabilities.onHello(() => void this.reportAfterConnection());
    liveOutput.onSessionWatched((sessionId) => this.sessions.findQueue(sessionId)?.session.deltas.scheduleDelta());
    liveOutput.onProgressWatched((sessionId) => this.sessions.findQueue(sessionId)?.session.progress.repeatStates());
  }

  /** Reports after each connection, one report at a time. */
  private async reportAfterConnection(): Promise<void> {
    this.isReportDue = true;
    if (this.isReporting) return;
    this.isReporting = true;
    while (this.isReportDue) {
      this.isReportDue = false;
      await this.reportToService();
    }
    this.isReporting = false;
  }

  /**
   * Reports what the service doesn't know, once it accepts turns: after the start what this device has lost, and after
   * each further connection what the service has lost, which may have been restored from a backup in the meantime.
   */
  private async reportToService(): Promise<void> {
    const { capabilities } = this.dependencies;
    if (!capabilities.areTurnsAccepted) return;
    const isFirst = this.isFirstReport;
    this.isFirstReport = false;
    if (isFirst) {
      await this.announceAgents(this.dependencies.onProblem);
    } else {
      this.store.repeatOpenTurns();
      this.permissions.repeatRequests();
    }
    // One session may have been deleted. The others are treated all the same.
    for (const { session } of this.sessions.allQueues) {
      if (!isFirst && !(await this.attempt(() => this.hasOpenTurns(session.id)))) continue;
      await this.attempt(() => this.permissions.cancelLostRequests(session.id));
      await this.attempt(() => this.store.reportEndedTurns(session.id));
    }
  }

  /** Returns undefined if the operation fails for good. */
  private async attempt<T>(operation: () => Promise<T>): Promise<T | undefined> {
    const { backoff, onProblem } = this.dependencies;
    const { signal } = this.stopController;
    if (signal.aborted) return undefined;
    return retryTransientErrors(operation, { backoff: new Backoff(backoff), signal }).catch((error: Error) => {
      if (!signal.aborted) onProblem(error.message);
      return undefined;
    });
  }

  /** Whether the service knows of open turns, which the others need not be asked for. */
  private async hasOpenTurns(sessionId: string): Promise<boolean> {
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
    const { data } = await this.dependencies.device.callApi<DataEnvelope<SessionResource>>('GET', path);
    return data.activity !== 'idle';
  }

  private learnAgent(command: AgentCommand, session: AgentSession): void {
    const { device, onProblem } = this.dependencies;
    if (!learnAgent(device.state, command, session)) return;
    this.withdrawUnserved();
    device.saveState().catch((error: Error) => onProblem(`The key file can't be written: ${error.message}`));
    // The first report announces what is known then.
    if (!this.isFirstReport) void this.announceAgents();
  }

  /** Callers shall not ask for sessions that no agent lists. */
  private withdrawUnserved(): void {
    const { device, capabilities } = this.dependencies;
    if (!canListSessions(this.options, device.state)) capabilities.withdraw('agent.sessions');
  }

  /** Announces the agents to a service that can start sessions, with what is known of them when it begins. */
  private announceAgents(onProblem?: (problem: string) => void): Promise<void> {
    if (!this.isAnnouncementDue && this.dependencies.capabilities.isAccepted('session.start')) {
      this.isAnnouncementDue = true;
      this.lastAnnouncement = this.lastAnnouncement.then(async () => {
        this.isAnnouncementDue = false;
        await this.attempt(() => this.announceAgentsOnce(onProblem));
      });
    }
    return this.lastAnnouncement;
  }

  private async announceAgentsOnce(onProblem?: (problem: string) => void): Promise<void> {
    const { device, description } = this.dependencies;
    const agents = await findAnnouncedAgents(this.options, device.state, onProblem);
    const hasOptions = this.dependencies.capabilities.isAccepted('session.options');
    await registerMachine(device, description, hasOptions ? agents : withoutOptions(agents));
    if (device.state.areAgentsAnnounced) return;
    device.state.areAgentsAnnounced = true;
    await device.saveState();
  }
}
