/** The service's time by this computer's clock and the offset learnt in `hello` (device-api.md, Socket). */
export class ServerClock {
  private offsetMs = 0;

  learn(serverTime: number, now = Date.now()): void {
    this.offsetMs = serverTime - now;
  }

  /** Unix ms in server time. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
