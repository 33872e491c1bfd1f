import { DeviceRejectedError } from './client-errors';
import type { Outage } from './device-api-client';
import { createDeviceState, type DeviceState } from './device-state';
import { EnrollmentError } from './enrollment';
import { HistoryWriter } from './history/history-writer';
import { SessionHistory } from './history/session-history';
import { computeDeviceFingerprint, generateDeviceKeys } from './keys';
import { InvocationRuntime, type InvocationRuntimeDependencies } from './invocations/invocation-runtime';
import { LiveOutputRequests } from './live/live-output-requests';
import type { MachineEvent } from './machine-events';
import { echoReplyHandler, createProgramReplyHandler } from './machine/reply-handlers';
import { Backoff, type BackoffOptions } from './machine/backoff';
import { AGENT_CAPABILITIES, CapabilityNegotiation } from './machine/capability-negotiation';
import { createInvokeHandler } from './machine/invoke-handler';
import { MachineRunner } from './machine/machine-runner';
import { createMessageHandler } from './machine/message-handler';
import { openMachineSession, registerMachineAtStart } from './machine/registration';
import { formatAnswerOutcome, RelayRequestHandler, type RelayHandlers } from './machine/relay-request-handler';
import { retryUntilAborted } from './machine/retry';
import { createUnsealingHandler } from './machine/sealed-messages';
import { ServerClock } from './machine/server-clock';
import { getDeviceDescription, type NewDeviceOptions } from './new-device-options';
import { waitForApproval, getPairingStatus, requestPairing } from './pairing';
import { DEFAULT_SERVICE_URL, createRemoteService } from './service-address';
import { findAnnouncedAgents } from './sessions/agent-catalog';
import { AgentRuntime, type AgentOptions, type AgentRuntimeDependencies } from './sessions/agent-runtime';
import { SignedInDevice } from './signed-in-device';

export interface MachineOptions extends Omit<NewDeviceOptions, 'url'> {
  /** Default: the address that the device used last, else {@link DEFAULT_SERVICE_URL}. */
  url?: string;
  /** Username of the only account that this machine serves. Default: the one that it is or gets paired with. */
  account?: string;
  /** Default: derived from this device. */
  sessionTag?: string;
  /** Default working directory of commands. Default: the process's. */
  cwd?: string;
  /** Program and arguments that reply to session messages. Default: echo. */
  onMessage?: string[];
  /** Agents that work in the machine's sessions. Default: none, and {@link onMessage} replies. */
  agents?: AgentOptions;
  onEvent?: (event: MachineEvent) => void;
  backoff?: BackoffOptions;
}

/** What the runtimes of a machine have in common. */
type RuntimeDependencies = Pick<
  AgentRuntimeDependencies & InvocationRuntimeDependencies,
  'session' | 'machineId' | 'workingDirectory' | 'history' | 'capabilities' | 'clock' | 'liveOutput'
>;

/** Machine device that runs commands for its account (docs/protocol/device-api.md#reference-device). */
export class MachineDevice {
  private constructor(
    private readonly options: MachineOptions,
    private device: SignedInDevice,
  ) {}

  /** Opens the machine of an existing key file, or creates one, which must then {@link pairWithAccount}. */
  static async open(options: MachineOptions): Promise<MachineDevice> {
    const storedState = await options.store.loadState('machine');
    const remoteService = createRemoteService({
      ...options,
      url: options.url ?? storedState?.url ?? DEFAULT_SERVICE_URL,
    });
    const state = storedState ?? createMachineState(remoteService.http.url);
    const device = new SignedInDevice(remoteService, options.store, state);
    const machine = new MachineDevice(options, device);
    if (state.account) machine.requireOwner(state.account.username);
    return machine;
  }

  get isPaired(): boolean {
    return this.device.state.account !== undefined;
  }

  /** Username of the account that this machine is paired with. */
  get account(): string | undefined {
    return this.device.state.account?.username;
  }

  /** Address of the service that has this machine. */
  get serviceUrl(): string {
    return this.device.state.url;
  }

  /** Why calls get no answer of the service at present. Null if they do. */
  get outage(): Outage | null {
    return this.device.remoteService.http.outage;
  }

  /** Fingerprint that people compare: four groups of four characters. */
  get fingerprint(): string {
    return computeDeviceFingerprint(this.device.state.keys);
  }

  /**
   * Joins the account: emits a code (event `pairing`), waits until a device of the account approves it, then verifies
   * and pins the enrollment. Resumes a pairing that is still pending from an earlier start.
   * @throws DeviceRejectedError when the pairing is denied, has expired, or was approved by another account
   */
  async pairWithAccount({
    signal,
    pollIntervalMs: intervalMs,
  }: { signal?: AbortSignal; pollIntervalMs?: number } = {}): Promise<void> {
    const { remoteService: service } = this.device;
    const backoff = new Backoff(this.options.backoff);
    const { id, code, expiresAt } = await this.retryAtStart(() => this.getOrRequestPairing(), backoff, signal);
    const approvalUrl = new URL(`/console/devices#code=${code}`, service.audience).href;
    this.emitEvent({ event: 'pairing', code, fingerprint: this.fingerprint, expiresAt, approvalUrl });
    try {
      const approvedBy = await waitForApproval(service, id, { intervalMs, backoff, signal, waiting: this.emitWaiting });
      this.requireOwner(approvedBy);
      await this.retryAtStart(() => this.device.signIn(), backoff, signal);
      this.requireOwner(this.account, approvedBy);
    } catch (error) {
      // Another account holds an enrollment of these keys, so they must not be reused.
      if (error instanceof DeviceRejectedError) await this.replaceKeys();
      throw error;
    }
    const { id: accountId = '', username: account = '' } = this.device.state.account ?? {};
    this.emitEvent({ event: 'paired', account, accountId });
  }

  /**
   * Signs in if the service is at another address than last time.
   * @throws DeviceRejectedError if the service there doesn't know this machine
   */
  async confirmAddress({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { device, serviceUrl } = this;
    const { url } = device.remoteService.http;
    if (url === serviceUrl) return;
    try {
      await this.retryAtStart(() => device.signIn(), new Backoff(this.options.backoff), signal);
    } catch (error) {
      if (!(error instanceof DeviceRejectedError || error instanceof EnrollmentError)) throw error;
      throw new DeviceRejectedError(
        `This computer is linked to ${serviceUrl}, and ${url} doesn't know it. Link that with a --key-file of its own.`,
      );
    }
  }

  /**
   * Signs in, registers the machine, opens its session, connects and answers calls. Retries while the service can't be
   * reached.
   * @param options aborting `signal` stops the startup and the running machine
   * @throws DeviceRejectedError once revoked; EnrollmentError when the pinned enrollment has changed; AbortError
   */
  async startServing({ signal }: { signal?: AbortSignal } = {}): Promise<MachineRunner> {
    const { options, device } = this;
    const backoff = new Backoff(options.backoff);
    const { identity, session } = await this.retryAtStart(() => this.signInAndRegister(), backoff, signal);
    backoff.resetDelay();
    const clock = new ServerClock();
    const capabilities = new CapabilityNegotiation(options.agents ? AGENT_CAPABILITIES : undefined);
    const history = await this.openHistoryWriter(capabilities);
    const workingDirectory = options.cwd ?? process.cwd();
    const answer = options.onMessage
      ? createProgramReplyHandler(options.onMessage, workingDirectory)
      : echoReplyHandler;
    const isAgentSession = (id = ''): boolean => Object.hasOwn(device.state.agentSessions ?? {}, id);
    const messageHandler = createMessageHandler(answer, new SessionHistory(session, history), isAgentSession);
    const liveOutput = new LiveOutputRequests(clock, (id) => options.agents !== undefined && isAgentSession(id));
    const findOwnSession = (id?: string) => (id === session.id ? session : undefined);
    const shared = { history, capabilities, clock, liveOutput };
    const runtimeDependencies = { session, machineId: identity.machineId, workingDirectory, ...shared };
    const { agentRuntime, invocationRuntime } = await this.openRuntimes(runtimeDependencies).catch(
      async (error: unknown) => {
        await history.close();
        throw error;
      },
    );
    const handlers: RelayHandlers = {
      'machine.invoke': createInvokeHandler(workingDirectory),
      'session.message': createUnsealingHandler(messageHandler, findOwnSession),
      ...invocationRuntime.createHandlers(),
      ...agentRuntime?.createHandlers(messageHandler),
    };
    const requestHandler = new RelayRequestHandler(clock, handlers, ({ method, requestId, answer, ms }) =>
      this.emitEvent({ event: 'call', method, requestId, outcome: formatAnswerOutcome(answer), ms }),
    );
    const events = {
      connected: () => this.emitEvent({ event: 'connected' }),
      lost: (reason: string) => this.emitEvent({ event: 'disconnected', reason }),
      waiting: this.emitWaiting,
    };
    const dependencies = { device, requestHandler, agentRuntime, invocationRuntime, ...shared, backoff, events };
    const runner = await MachineRunner.startRunner(identity, dependencies, signal);
    this.emitEvent({ event: 'serving', account: this.account ?? '', ...identity, agents: agentRuntime?.deciders });
    return runner;
  }

  private retryAtStart<T>(operation: () => Promise<T>, backoff: Backoff, signal?: AbortSignal): Promise<T> {
    return retryUntilAborted(operation, { backoff, signal, waiting: this.emitWaiting });
  }

  private async signInAndRegister() {
    const { device, options } = this;
    // Sign in at every start, so that the pinned enrollment is compared before any call is served.
    await device.signIn();
    this.requireOwner(device.state.account?.username);
    const description = getDeviceDescription(options);
    const agents = options.agents ? await findAnnouncedAgents(options.agents, device.state) : [];
    const machine = await registerMachineAtStart(device, description, agents);
    const sessionTag = options.sessionTag ?? `machine-${this.fingerprint.toLowerCase()}`;
    const session = await openMachineSession(device, sessionTag, machine.id, {
      title: description.name,
      ...description,
    });
    const deviceId = device.state.deviceId ?? '';
    const identity = { deviceId, machineId: machine.id, sessionId: session.id, sessionTag };
    return { identity, session };
  }

  /** Uses its own backoff: the socket may be connected while history writes fail, and the other way round. */
  private openHistoryWriter(capabilities: CapabilityNegotiation): Promise<HistoryWriter> {
    const { device, options } = this;
    return HistoryWriter.openFromOutbox(
      device,
      options.store.openOutbox(),
      capabilities,
      new Backoff(options.backoff),
      (problem, waiting) => this.emitEvent({ event: 'history', problem, waiting }),
    );
  }

  /** Restores the invocations and turns of an earlier run. */
  private async openRuntimes(dependencies: RuntimeDependencies) {
    const invocationRuntime = await this.openInvocationRuntime(dependencies);
    try {
      return { invocationRuntime, agentRuntime: await this.openAgentRuntime(dependencies) };
    } catch (error) {
      await invocationRuntime.stop().catch(() => undefined);
      await invocationRuntime.closeReporter();
      throw error;
    }
  }

  private openInvocationRuntime(dependencies: RuntimeDependencies): Promise<InvocationRuntime> {
    const { options, device } = this;
    return InvocationRuntime.openRuntime({
      ...dependencies,
      device,
      files: options.store.openInvocationFiles(),
      backoff: options.backoff,
      onProblem: (problem) => this.emitEvent({ event: 'invocation', problem }),
    });
  }

  private async openAgentRuntime(dependencies: RuntimeDependencies): Promise<AgentRuntime | undefined> {
    const { options, device } = this;
    if (!options.agents) return undefined;
    return AgentRuntime.openRuntime(options.agents, {
      ...dependencies,
      device,
      description: getDeviceDescription(options),
      ...{ journal: options.store.openTurnJournal(), attachmentFolder: options.store.openAttachmentFolder() },
      backoff: options.backoff,
      onProblem: (problem) => this.emitEvent({ event: 'agent', problem }),
    });
  }

  private async getOrRequestPairing() {
    const pending = this.device.state.pairing;
    if (pending) {
      const { state } = await getPairingStatus(this.device.remoteService, pending.id);
      if (state === 'pending' || state === 'approved') return pending;
      await this.replaceKeys();
    }
    const { device, options } = this;
    const { state, remoteService: service } = device;
    const description = { kind: 'machine', ...getDeviceDescription(options) } as const;
    state.pairing = await requestPairing(service, state.keys, description);
    await device.saveState();
    return state.pairing;
  }

  private requireOwner(username: string | undefined, expected = this.options.account): void {
    if (expected === undefined || username === expected) return;
    throw new DeviceRejectedError(
      `This device was paired with "${username}", not with "${expected}". It does not serve calls.`,
    );
  }

  private async replaceKeys(): Promise<void> {
    const { remoteService: service } = this.device;
    const state = createMachineState(service.http.url);
    this.device = new SignedInDevice(service, this.options.store, state);
    await this.device.saveState();
  }

  private readonly emitWaiting = ({ message: reason }: Error, ms: number): void =>
    this.emitEvent({ event: 'waiting', reason, ms: Math.round(ms) });

  private emitEvent(event: MachineEvent): void {
    this.options.onEvent?.(event);
  }
}

const createMachineState = (url: string): DeviceState => createDeviceState('machine', url, generateDeviceKeys());
