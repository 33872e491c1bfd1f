import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceReplacedError } from '../client-errors';
import { waitUnlessAborted } from '../time-limit';
import type { Backoff } from './backoff';
import type { Connection } from './connection';
import { retryTransientErrors, type RetryOptions } from './retry';

/** After a connection of this duration, the backoff is reset. */
const STABLE_CONNECTION_MS = 10_000;
/** Two replacements within this time can't both come from a connection that this device has given up itself. */
const REPLACEMENT_MEMORY_MS = 10 * 60_000;

export interface ConnectionEvents {
  connected?: () => void;
  lost?: (reason: string) => void;
  waiting?: (error: Error, ms: number) => void;
}

export interface ConnectionSupervisorOptions {
  /** Opens a connection with a freshly fetched token. */
  openConnection: (onDrain: (connection: Connection) => void) => Promise<Connection>;
  backoff: Backoff;
  events: ConnectionEvents;
}

/** Reconnects a device after a connection loss. On a drain event, connects anew before it closes the old connection. */
export class ConnectionSupervisor {
  private currentConnection: Connection | undefined;
  private pendingReplacement: Promise<void> | undefined;
  private isReconnectPending = false;
  /** `performance.now()` */
  private replacedAt = -Infinity;
  private readonly retirements = new Set<Promise<void>>();
  private readonly stopController = new AbortController();
  private rejectFailed: (error: unknown) => void = () => undefined;

  /** Rejects when a retry can't help: the device was revoked or replaced, or the account has changed. */
  readonly failed = new Promise<never>((_, reject) => (this.rejectFailed = reject));

  constructor(private readonly options: ConnectionSupervisorOptions) {
    this.failed.catch(() => undefined);
  }

  /** @throws what {@link failed} rejects with */
  async openFirstConnection(): Promise<Connection> {
    while (!this.currentConnection && !this.stopController.signal.aborted)
      await Promise.race([this.replaceConnection(), this.failed]);
    if (!this.currentConnection) throw new Error('The device was stopped while it was connecting.');
    return this.currentConnection;
  }

  /** Opens a new connection, then lets the current one finish its calls and close. */
  replaceConnection(): Promise<void> {
    this.pendingReplacement ??= this.performReplacement();
    return this.pendingReplacement;
  }

  async closeConnections(): Promise<void> {
    this.stopController.abort();
    await this.pendingReplacement;
    const lastConnection = this.currentConnection;
    this.currentConnection = undefined;
    lastConnection?.close();
    await Promise.all(this.retirements);
  }

  private async performReplacement(): Promise<void> {
    try {
      await this.connectAndSwitch();
    } catch (error) {
      if (!this.stopController.signal.aborted) this.rejectFailed(error);
      return;
    } finally {
      this.pendingReplacement = undefined;
    }
    const { currentConnection } = this;
    if (currentConnection && !currentConnection.isConnected)
      this.handleConnectionClosed(currentConnection, 'lost during replacement');
    else if (currentConnection?.isDrainRequested) void this.reconnectAfterDelay();
  }

  private async connectAndSwitch(): Promise<void> {
    const newConnection = await this.openWithRetries();
    const previousConnection = this.currentConnection;
    this.currentConnection = newConnection;
    this.options.events.connected?.();
    const stableTimer = setTimeout(() => this.options.backoff.resetDelay(), STABLE_CONNECTION_MS).unref();
    void newConnection.closed.then((reason) => {
      clearTimeout(stableTimer);
      this.handleConnectionClosed(newConnection, reason);
    });
    if (previousConnection) this.retireConnection(previousConnection);
  }

  /** Doesn't wait for the service once the device stops: it may never answer. What opens then is closed. */
  private async openWithRetries(): Promise<Connection> {
    const { backoff, events } = this.options;
    const { signal } = this.stopController;
    signal.throwIfAborted();
    const open = () => this.options.openConnection((drainingConnection) => this.handleDrainRequest(drainingConnection));
    const waiting: RetryOptions['waiting'] = (...wait) => {
      if (!signal.aborted) events.waiting?.(...wait);
    };
    const opened = retryTransientErrors(open, { backoff, signal, waiting });
    return waitUnlessAborted(opened, signal, () => {
      void opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
      throw signal.reason;
    });
  }

  private handleDrainRequest(connection: Connection): void {
    if (connection === this.currentConnection && !this.pendingReplacement) void this.reconnectAfterDelay();
  }

  /** Ignores the end of a connection that was already replaced. */
  private handleConnectionClosed(connection: Connection, reason: string): void {
    if (connection !== this.currentConnection || this.pendingReplacement || this.stopController.signal.aborted) return;
    this.currentConnection = undefined;
    // A protocol violation is likely to repeat (docs/protocol/device-api.md#limits-of-a-socket).
    if (connection.isClosedForViolation) this.options.backoff.jumpToMaxDelay();
    this.options.events.lost?.(connection.isReplaced ? 'another connection of this device has replaced it' : reason);
    if (connection.isReplaced && this.isReplacedAgain()) this.rejectFailed(createReplacedError());
    else void this.reconnectAfterDelay();
  }

  /**
   * The first time, the newer connection may be one that this process has given up before its handshake arrived, so the
   * device connects once more. If another process uses the same keys, that one does the same, and this one stops.
   */
  private isReplacedAgain(): boolean {
    const previousAt = this.replacedAt;
    this.replacedAt = performance.now();
    return this.replacedAt - previousAt < REPLACEMENT_MEMORY_MS;
  }

  /**
   * Delays even the first attempt: many devices lose the same instance at the same moment, and the next connection may
   * reach the same draining instance again.
   */
  private async reconnectAfterDelay(): Promise<void> {
    if (this.isReconnectPending) return;
    this.isReconnectPending = true;
    const { signal } = this.stopController;
    await sleep(this.options.backoff.getNextDelayMs(), undefined, { signal }).catch(() => undefined);
    this.isReconnectPending = false;
    if (!signal.aborted) await this.replaceConnection();
  }

  private retireConnection(connection: Connection): void {
    const retirement = connection.closeWhenIdle().finally(() => this.retirements.delete(retirement));
    this.retirements.add(retirement);
  }
}

const createReplacedError = (): DeviceReplacedError =>
  new DeviceReplacedError(
    'Another process is connected with the keys of this device, perhaps with a copy of the key file on another ' +
      'computer. This one stops, so that they do not replace each other for ever. Pair each computer by itself.',
  );
