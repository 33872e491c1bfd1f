/** A larger difference between the two clocks of this computer means that it slept or that its time was set. */
const MAX_DRIFT_MS = 2_000;

/**
 * The service's time, from the time in `hello` (docs/protocol/device-api.md#socket) and this computer's clocks. The
 * time of day can be set, and the monotonic clock can stand still while the computer sleeps. The later of the two
 * counts, so that no call begins after its deadline.
 */
export class ServerClock {
  /** Server time minus time of day. */
  private offsetMs = 0;
  /** Server time minus `performance.now()`. */
  private monotonicOffsetMs = Date.now() - performance.now();

  setServerTime(serverTime: number): void {
    this.offsetMs = serverTime - Date.now();
    this.monotonicOffsetMs = serverTime - performance.now();
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
