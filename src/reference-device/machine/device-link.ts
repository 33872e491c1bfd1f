import { setTimeout as sleep } from 'node:timers/promises';
import type { Backoff } from './backoff';
import type { Connection } from './connection';
import { retryTransient } from './retry';

/** A connection that lived as long was a good one: the next loss begins with short waits again. */
const STABLE_MS = 10_000;

export interface LinkEvents {
  connected?: () => void;
  lost?: (reason: string) => void;
  waiting?: (error: Error, ms: number) => void;
}

export interface LinkOptions {
  /** Opens a connection with a token that is fetched anew for it. */
  open: (onDrain: (connection: Connection) => void) => Promise<Connection>;
  backoff: Backoff;
  events: LinkEvents;
}

/** Keeps a device connected: reconnects after a loss, connects elsewhere first when told to leave. */
export class DeviceLink {
  private current: Connection | undefined;
  private replacing: Promise<void> | undefined;
  private waiting = false;
  private readonly retiring = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private failWith: (error: unknown) => void = () => undefined;

  /** Rejects when trying again cannot help: revoked, or no longer the same account. */
  readonly failed = new Promise<never>((_, reject) => (this.failWith = reject));

  constructor(private readonly options: LinkOptions) {
    this.failed.catch(() => undefined);
  }

  /** @throws what {@link failed} rejects with */
  async start(): Promise<Connection> {
    while (!this.current && !this.stopping.signal.aborted) await Promise.race([this.replace(), this.failed]);
    if (!this.current) throw new Error('The device was stopped while it connected.');
    return this.current;
  }

  /** Opens a new connection, then lets the present one finish and close. */
  replace(): Promise<void> {
    this.replacing ??= this.takeOver();
    return this.replacing;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.replacing;
    const last = this.current;
    this.current = undefined;
    last?.close();
    await Promise.all(this.retiring);
  }

  private async takeOver(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (!this.stopping.signal.aborted) this.failWith(error);
      return;
    } finally {
      this.replacing = undefined;
    }
    const { current } = this;
    if (current && !current.connected) this.onEnd(current, 'lost while taking over');
    else if (current?.draining) void this.reconnect();
  }

  private async connect(): Promise<void> {
    const next = await this.openUntilItWorks();
    const previous = this.current;
    this.current = next;
    this.options.events.connected?.();
    const stable = setTimeout(() => this.options.backoff.reset(), STABLE_MS).unref();
    void next.ended.then((reason) => {
      clearTimeout(stable);
      this.onEnd(next, reason);
    });
    if (previous) this.retire(previous);
  }

  private async openUntilItWorks(): Promise<Connection> {
    const { backoff, events } = this.options;
    const { signal } = this.stopping;
    return retryTransient(
      async () => {
        signal.throwIfAborted();
        const connection = await this.options.open((draining) => this.onDrain(draining));
        if (signal.aborted) connection.close();
        signal.throwIfAborted();
        return connection;
      },
      { backoff, signal, waiting: events.waiting },
    );
  }

  private onDrain(connection: Connection): void {
    if (connection === this.current && !this.replacing) void this.reconnect();
  }

  /** The end of a connection that was already replaced is no loss. */
  private onEnd(connection: Connection, reason: string): void {
    if (connection !== this.current || this.replacing || this.stopping.signal.aborted) return;
    this.current = undefined;
    this.options.events.lost?.(reason);
    void this.reconnect();
  }

  /**
   * Even the first attempt waits a little: many devices lose the same instance at the same moment, and the next
   * connection may meet the same draining one again.
   */
  private async reconnect(): Promise<void> {
    if (this.waiting) return;
    this.waiting = true;
    const { signal } = this.stopping;
    await sleep(this.options.backoff.nextMs(), undefined, { signal }).catch(() => undefined);
    this.waiting = false;
    if (!signal.aborted) await this.replace();
  }

  private retire(connection: Connection): void {
    const done = connection.retire().finally(() => this.retiring.delete(done));
    this.retiring.add(done);
  }
}
