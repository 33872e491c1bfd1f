export interface BackoffOptions {
  /** The first wait is between half of this and this. @default 500 */
  baseMs?: number;
  /** @default 30000 */
  maxMs?: number;
}

/** Waits that double up to a limit, with jitter, so that a fleet does not come back in step. */
export class Backoff {
  private attempts = 0;
  private readonly baseMs: number;
  private readonly maxMs: number;

  constructor({ baseMs = 500, maxMs = 30_000 }: BackoffOptions = {}) {
    this.baseMs = baseMs;
    this.maxMs = maxMs;
  }

  nextMs(): number {
    const full = Math.min(this.maxMs, this.baseMs * 2 ** Math.min(this.attempts++, 30));
    return full / 2 + (Math.random() * full) / 2;
  }

  reset(): void {
    this.attempts = 0;
  }
}
