import type { Capability, HelloMessage } from '@external-api/protocol';
import type { HistoryWriter } from '../history/history-writer';
import type { InvocationRuntime } from '../invocations/invocation-runtime';
import type { LiveOutputRequests } from '../live/live-output-requests';
import type { AgentRuntime } from '../sessions/agent-runtime';
import type { SignedInDevice } from '../signed-in-device';
import type { Backoff } from './backoff';
import type { CapabilityNegotiation } from './capability-negotiation';
import { CapabilitiesRejectedError, Connection, TokenRejectedError } from './connection';
import { ConnectionSupervisor, type ConnectionEvents } from './connection-supervisor';
import type { RelayRequestHandler } from './relay-request-handler';
import type { ServerClock } from './server-clock';

const RENEWAL_CHECK_INTERVAL_MS = 60 * 60 * 1000;
const CLOCK_CHECK_INTERVAL_MS = 1_000;

/** Ids of a running machine. */
export interface MachineIdentity {
  deviceId: string;
  machineId: string;
  sessionId: string;
  sessionTag: string;
}

export interface MachineRunnerDependencies {
  device: SignedInDevice;
  requestHandler: RelayRequestHandler;
  /** Absent on a machine without agents. */
  agentRuntime?: AgentRuntime;
  invocationRuntime: InvocationRuntime;
  history: HistoryWriter;
  clock: ServerClock;
  capabilities: CapabilityNegotiation;
  liveOutput: LiveOutputRequests;
  backoff: Backoff;
  events: ConnectionEvents;
}

/** Runs a machine, which answers calls until it is stopped. */
export class MachineRunner {
  private readonly connectionSupervisor: ConnectionSupervisor;
  private readonly renewalTimer: NodeJS.Timeout;
  private readonly clockTimer: NodeJS.Timeout;
  private stopped: Promise<void> | undefined;

  private constructor(
    readonly identity: MachineIdentity,
    private readonly dependencies: MachineRunnerDependencies,
  ) {
    const { backoff, events } = dependencies;
    this.connectionSupervisor = new ConnectionSupervisor({
      openConnection: (onDrain) => this.openWithTokenRenewal(onDrain),
      backoff,
      events,
    });
    dependencies.capabilities.onServedChanged = () => void this.connectionSupervisor.replaceConnection();
    dependencies.clock.requestServerTime = () => this.connectionSupervisor.replaceConnection();
    this.renewalTimer = setInterval(() => void this.renewConnectionIfDue(), RENEWAL_CHECK_INTERVAL_MS).unref();
    this.clockTimer = setInterval(() => void this.synchronizeClock(), CLOCK_CHECK_INTERVAL_MS).unref();
  }

  /** Resolves once the first connection is open. Aborting `signal` has the same effect as {@link stop}. */
  static async startRunner(
    identity: MachineIdentity,
    dependencies: MachineRunnerDependencies,
    signal?: AbortSignal,
  ): Promise<MachineRunner> {
    const runner = new MachineRunner(identity, dependencies);
    signal?.addEventListener('abort', () => void runner.stop().catch(() => undefined), { once: true });
    const firstConnection = signal?.aborted
      ? Promise.reject(signal.reason as Error)
      : runner.connectionSupervisor.openFirstConnection();
    await firstConnection.catch(async (error: unknown) => {
      await runner.stop().catch(() => undefined);
      throw error;
    });
    return runner;
  }

  /** Rejects with DeviceRejectedError or EnrollmentError when the machine can't continue; else stays pending. */
  get failed(): Promise<never> {
    return this.connectionSupervisor.failed;
  }

  /** Numbers of states and artifacts that the service doesn't have yet. */
  get waitingCounts(): { waitingReports: number; waitingArtifacts: number } {
    const { agentRuntime, invocationRuntime } = this.dependencies;
    const waitingReports = (agentRuntime?.waitingReportCount ?? 0) + invocationRuntime.waitingReportCount;
    return { waitingReports, waitingArtifacts: agentRuntime?.waitingArtifactCount ?? 0 };
  }

  /**
   * Terminates running commands and agents with their children, answers their callers, flushes the history and
   * disconnects. A step that fails skips no other. Further calls wait for the first one.
   * @throws Error of the first step that failed
   */
  stop(): Promise<void> {
    this.stopped ??= this.performStop();
    return this.stopped;
  }

  private async performStop(): Promise<void> {
    clearInterval(this.renewalTimer);
    clearInterval(this.clockTimer);
    const { requestHandler, agentRuntime, invocationRuntime, history } = this.dependencies;
    const steps = [
      () => requestHandler.cancelAndAwaitRequests(),
      async () => agentRuntime?.stop(),
      () => invocationRuntime.stop(),
      () => history.close(),
      async () => agentRuntime?.closeReporter(),
      () => invocationRuntime.closeReporter(),
      () => this.connectionSupervisor.closeConnections(),
    ];
    const errors: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  /** Renews a rejected token once. If the device was revoked, the sign-in fails with the reason. */
  private async openWithTokenRenewal(onDrain: (connection: Connection) => void): Promise<Connection> {
    try {
      return await this.openWithAcceptedCapabilities(onDrain);
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error;
      this.dependencies.device.clearToken();
      return this.openWithAcceptedCapabilities(onDrain);
    }
  }

  /** Declares all capabilities each time, since the service may have been upgraded since the last connection. */
  private async openWithAcceptedCapabilities(onDrain: (connection: Connection) => void): Promise<Connection> {
    const { servedCapabilities, originalCapabilities } = this.dependencies.capabilities;
    try {
      return await this.openConnection(servedCapabilities, onDrain);
    } catch (error) {
      if (!(error instanceof CapabilitiesRejectedError)) throw error;
      return this.openConnection(originalCapabilities, onDrain);
    }
  }

  private async openConnection(
    declaredCapabilities: readonly Capability[],
    onDrain: (connection: Connection) => void,
  ): Promise<Connection> {
    const { device, requestHandler, clock, capabilities, liveOutput } = this.dependencies;
    const token = await device.getToken();
    const { url } = device.remoteService.http;
    const onHello = (hello: HelloMessage): void => {
      clock.setServerTime(hello.serverTime);
      capabilities.applyHello(hello);
    };
    return Connection.openConnection({
      url,
      token,
      capabilities: declaredCapabilities,
      requestHandler,
      liveOutput,
      onHello,
      onDrain,
    });
  }

  /** The service closes a socket when its token expires, so the connection is replaced before that. */
  private async renewConnectionIfDue(): Promise<void> {
    if (this.dependencies.device.needsRenewal()) await this.connectionSupervisor.replaceConnection();
  }

  /** Gets the service's time with a new connection, because the deadlines of calls can't be evaluated without it. */
  private async synchronizeClock(): Promise<void> {
    if (this.dependencies.clock.isUncertain) await this.connectionSupervisor.replaceConnection();
  }
}
