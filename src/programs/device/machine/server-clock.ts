/**
 * The service's time, from this computer's clock and the offset in `hello` (docs/protocol/device-api.md#socket).
 */
export class ServerClock {
  private offsetMs = 0;

  setServerTime(serverTime: number, now = Date.now()): void {
    this.offsetMs = serverTime - now;
  }

  /** Returns the server time in Unix ms. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
