import { CountField } from '../common/http';

/** A bucket as its owner sees it after a call (external-api.md, `meta.rateLimit`). */
export class RateLimitState {
  @CountField(600)
  limit!: number;

  @CountField(599)
  remaining!: number;

  /** Whole seconds until the window ends; the window's length when none has begun. */
  @CountField(37)
  reset!: number;
}
