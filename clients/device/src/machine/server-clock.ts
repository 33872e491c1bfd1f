import { setTimeout as sleep } from 'node:timers/promises';

/** A larger difference between the two clocks of this computer means that it slept or that its time was set. */
const MAX_DRIFT_MS = 2_000;

/** How long a call waits for the service's time at most. */
const SYNCHRONIZATION_TIMEOUT_MS = 5_000;

/**
 * The service's time, from the times in `hello` and in requests (docs/protocol/device-api.md#events), and this
 * computer's clocks. The time of day can be set, and the monotonic clock can stand still while the computer sleeps. The
 * later of the two counts, so that no call begins after its deadline.
 */
export class ServerClock {
  /** Server time minus time of day. */
  private offsetMs = 0;
  /** Server time minus `performance.now()`. */
  private monotonicOffsetMs = Date.now() - performance.now();

  /** Gets the service's time with a new `hello`. Resolves without it if it can't. */
  requestServerTime: () => Promise<void> = () => Promise.resolve();

  setServerTime(serverTime: number): void {
    this.offsetMs = serverTime - Date.now();
    this.monotonicOffsetMs = serverTime - performance.now();
  }

  /** Applies the time at which a message was sent. Only a later time counts, because the message may be delayed. */
  advanceTo(serverTime: number): void {
    if (serverTime > this.now()) this.setServerTime(serverTime);
  }

  /** Gets the service's time anew, because a message doesn't tell a late request from a clock that was set back. */
  async synchronize(): Promise<void> {
    const timeLimit = new AbortController();
    const expired = sleep(SYNCHRONIZATION_TIMEOUT_MS, undefined, { signal: timeLimit.signal }).catch(() => undefined);
    await Promise.race([this.requestServerTime(), expired]);
    timeLimit.abort();
  }

  /** Returns the server time in Unix ms. */
  now(): number {
    return Math.max(Date.now() + this.offsetMs, Math.floor(performance.now() + this.monotonicOffsetMs));
  }

  /** Whether only the service knows the time: this computer slept, or its time was set. */
  get isUncertain(): boolean {
    const driftMs = Date.now() + this.offsetMs - (performance.now() + this.monotonicOffsetMs);
    return Math.abs(driftMs) > MAX_DRIFT_MS;
  }
}
