import { CAPABILITIES } from '../../../protocol';
import type { HistoryWriter } from '../history/history-writer';
import type { SignedInDevice } from '../signed-in-device';
import type { Backoff } from './backoff';
import { Connection, TokenRejectedError } from './connection';
import { ConnectionSupervisor, type ConnectionEvents } from './connection-supervisor';
import type { RelayRequestHandler } from './relay-request-handler';
import type { ServerClock } from './server-clock';

const RENEWAL_CHECK_INTERVAL_MS = 60 * 60 * 1000;

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
  history: HistoryWriter;
  clock: ServerClock;
  backoff: Backoff;
  events: ConnectionEvents;
}

/** Runs a machine, which answers calls until it is stopped. */
export class MachineRunner {
  private readonly connectionSupervisor: ConnectionSupervisor;
  private readonly renewalTimer: NodeJS.Timeout;

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
    this.renewalTimer = setInterval(() => void this.renewConnectionIfDue(), RENEWAL_CHECK_INTERVAL_MS).unref();
  }

  /** Resolves once the first connection is open. Aborting `signal` has the same effect as {@link stop}. */
  static async startRunner(
    identity: MachineIdentity,
    dependencies: MachineRunnerDependencies,
    signal?: AbortSignal,
  ): Promise<MachineRunner> {
    const runner = new MachineRunner(identity, dependencies);
    signal?.addEventListener('abort', () => void runner.stop(), { once: true });
    const firstConnection = signal?.aborted
      ? Promise.reject(signal.reason as Error)
      : runner.connectionSupervisor.openFirstConnection();
    await firstConnection.catch(async (error: unknown) => {
      await runner.stop();
      throw error;
    });
    return runner;
  }

  /** Rejects with DeviceRejectedError or EnrollmentError when the machine can't continue; else stays pending. */
  get failed(): Promise<never> {
    return this.connectionSupervisor.failed;
  }

  /** Terminates running commands with their children, answers their callers, flushes the history and disconnects. */
  async stop(): Promise<void> {
    clearInterval(this.renewalTimer);
    await this.dependencies.requestHandler.cancelAndAwaitRequests();
    await this.dependencies.history.close();
    await this.connectionSupervisor.closeConnections();
  }

  /** Renews a rejected token once. If the device was revoked, the sign-in fails with the reason. */
  private async openWithTokenRenewal(onDrain: (connection: Connection) => void): Promise<Connection> {
    try {
      return await this.openConnection(onDrain);
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error;
      this.dependencies.device.clearToken();
      return this.openConnection(onDrain);
    }
  }

  private async openConnection(onDrain: (connection: Connection) => void): Promise<Connection> {
    const { device, requestHandler, clock } = this.dependencies;
    const token = await device.getToken();
    const { url } = device.remoteService.http;
    return Connection.openConnection({
      url,
      token,
      capabilities: [...CAPABILITIES],
      requestHandler,
      clock,
      onDrain,
    });
  }

  /** The service closes a socket when its token expires, so the connection is replaced before that. */
  private async renewConnectionIfDue(): Promise<void> {
    if (this.dependencies.device.needsRenewal()) await this.connectionSupervisor.replaceConnection();
  }
}
