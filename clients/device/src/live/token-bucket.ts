/** Limits bytes to an average rate and a burst, by a clock that nobody sets. */
export class TokenBucket {
  private tokens: number;
  private refilledAt: number;

  /** @param now monotonic time in ms */
  constructor(
    private readonly capacity: number,
    private readonly tokensPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = capacity;
    this.refilledAt = now();
  }

  /** Consumes all or none. */
  tryConsume(count: number): boolean {
    const now = this.now();
    this.tokens = Math.min(this.capacity, this.tokens + ((now - this.refilledAt) / 1_000) * this.tokensPerSecond);
    this.refilledAt = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }
}
