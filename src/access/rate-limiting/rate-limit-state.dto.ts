import { CountField } from '../../common/http';

/** State of a bucket after a call (docs/protocol/external-api.md#get-me). */
export class RateLimitStateDto {
  @CountField(600)
  limit!: number;

  @CountField(599)
  remaining!: number;

  /** Whole seconds until the window ends; the length of the window if none has started. */
  @CountField(37)
  reset!: number;
}
