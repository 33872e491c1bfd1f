const MAX_SAMPLE_AGE_MS = 10_000;
const MAX_ERROR_MS = 500;
/** A larger difference between wall clock and monotonic clock means that the process or its machine was suspended. */
const MAX_DRIFT_MS = 1_000;
/** Assumed drift between two clocks, as a share of the elapsed time (200 ppm). */
const DRIFT_RATE = 200e-6;
/** A larger change between this machine's wall clock and monotonic clock counts as a clock jump. */
const JUMP_MS = 5;

interface ClockSample {
  /** Redis time minus `performance.now()`, in ms. */
  offset: number;
  /** Maximum error of the offset in ms: half of the round trip. */
  error: number;
  takenAt: number;
  wallOffset: number;
}

/** Estimates Redis time and how reliable the estimate is (docs/protocol/relay.md#clocks). */
export class RedisClock {
  private sample: ClockSample | null = null;

  /**
   * @param sentAt `performance.now()` before the command was sent
   * @param receivedAt `performance.now()` when its reply arrived
   * @param redisTimeMs Redis time in the reply, in Unix ms
   */
  recordSample(sentAt: number, receivedAt: number, redisTimeMs: number): void {
    const error = (receivedAt - sentAt) / 2 + 1;
    // A single slow reply doesn't replace a valid sample.
    if (error > MAX_ERROR_MS && this.isSynchronized) return;
    const offset = redisTimeMs - (sentAt + receivedAt) / 2;
    const sample = { offset, error, takenAt: receivedAt, wallOffset: Date.now() - receivedAt };
    this.sample = this.sample ? selectSample(this.sample, sample) : sample;
  }

  /** Maximum error of `now()` in ms; Infinity before the first sample. */
  get errorMs(): number {
    return this.sample ? Math.ceil(computeError(this.sample, performance.now())) : Infinity;
  }

  /** Returns Redis time in Unix ms, or this machine's own time before the first sample. */
  now(): number {
    return this.sample ? Math.round(performance.now() + this.sample.offset) : Date.now();
  }

  /** Converts a `performance.now()` value to Redis time in Unix ms. */
  toRedisTime(monotonicMs: number): number {
    return this.now() + monotonicMs - performance.now();
  }

  /** Whether `deadline` certainly has not passed. */
  isBefore(deadline: number): boolean {
    return this.isSynchronized && this.now() + this.errorMs < deadline;
  }

  /** Whether the sample is recent and precise, and neither process nor machine was suspended since. */
  get isSynchronized(): boolean {
    if (!this.sample) return false;
    const { error, takenAt, wallOffset } = this.sample;
    const now = performance.now();
    const drift = Math.abs(Date.now() - now - wallOffset);
    return error <= MAX_ERROR_MS && now - takenAt <= MAX_SAMPLE_AGE_MS && drift <= MAX_DRIFT_MS;
  }
}

/**
 * Returns the later sample, with the offset of the earlier one if both agree and the earlier one is more precise: a
 * slow reply confirms the known offset and must not make it less precise.
 */
function selectSample(earlier: ClockSample, later: ClockSample): ClockSample {
  const error = computeError(earlier, later.takenAt);
  const agree = Math.abs(earlier.offset - later.offset) <= error + later.error;
  const jumped = Math.abs(earlier.wallOffset - later.wallOffset) > JUMP_MS;
  return agree && !jumped && error < later.error ? { ...later, offset: earlier.offset, error } : later;
}

function computeError({ error, takenAt }: ClockSample, now: number): number {
  return error + (now - takenAt) * DRIFT_RATE;
}
