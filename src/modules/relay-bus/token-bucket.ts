/** Token bucket: limits a rate, and allows bursts up to its capacity. Times are monotonic ms. */
export class TokenBucket {
  private tokens: number;

  constructor(
    private readonly tokensPerSecond: number,
    private readonly capacity: number,
    private updatedAt: number,
  ) {
    this.tokens = capacity;
  }

  /** Returns false, without consuming anything, if the bucket has too few tokens. */
  consume(count: number, now: number): boolean {
    this.refill(now);
    if (count > this.tokens) return false;
    this.tokens -= count;
    return true;
  }

  isFull(now: number): boolean {
    this.refill(now);
    return this.tokens === this.capacity;
  }

  private refill(now: number): void {
    const refilled = this.tokens + ((now - this.updatedAt) / 1_000) * this.tokensPerSecond;
    this.tokens = Math.min(this.capacity, refilled);
    this.updatedAt = now;
  }
}
