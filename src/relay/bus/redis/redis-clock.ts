const FRESH_MS = 10_000;
const MAX_ERROR_MS = 500;
/** A wall clock that moved against the monotonic one: the process, or its machine, was suspended. */
const MAX_DRIFT_MS = 1_000;

interface Sample {
  /** Redis time less `performance.now()`, in ms. */
  offset: number;
  /** Half the round trip: what the offset may be wrong by, in ms. */
  error: number;
  takenAt: number;
  wallOffset: number;
}

/** Redis time as this instance reckons it, and whether it may be trusted (relay.md, Clocks). */
export class RedisClock {
  private sample: Sample | null = null;

  /**
   * @param sentAt `performance.now()` before Redis was asked, and `receivedAt` after
   * @param redisMs what it said, in Unix ms
   */
  learn(sentAt: number, receivedAt: number, redisMs: number): void {
    const error = (receivedAt - sentAt) / 2 + 1;
    // One slow answer does not take away what is known.
    if (error > MAX_ERROR_MS && this.isSure) return;
    const offset = redisMs - (sentAt + receivedAt) / 2;
    this.sample = { offset, error, takenAt: receivedAt, wallOffset: Date.now() - receivedAt };
  }

  /** Unix ms; this machine's own time before Redis was first asked. */
  now(): number {
    return this.sample ? Math.round(performance.now() + this.sample.offset) : Date.now();
  }

  /** Whether this moment is surely not past `deadline`. */
  isBefore(deadline: number): boolean {
    return this.isSure && this.now() + this.sample!.error < deadline;
  }

  /** Whether it was asked lately, answered quickly, and nothing was suspended since. */
  get isSure(): boolean {
    if (!this.sample) return false;
    const { error, takenAt, wallOffset } = this.sample;
    const now = performance.now();
    const drift = Math.abs(Date.now() - now - wallOffset);
    return error <= MAX_ERROR_MS && now - takenAt <= FRESH_MS && drift <= MAX_DRIFT_MS;
  }
}
