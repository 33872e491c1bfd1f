import { Injectable } from '@nestjs/common';
import { AuthenticationFailureRecorder } from '../auth';
import { toAddressOwner } from './rate-limit-owner';
import { rateLimited } from './rate-limit.errors';
import { RateLimiter } from './rate-limiter';

/**
 * Limits failed credentials by address, so that an invalid token does not consume an account's quota. Calls with a
 * valid token neither consume from the bucket nor are limited. A decorator of the route can't express this, because
 * only the check of the credential shows whether the call consumes.
 */
@Injectable()
export class AddressRateLimiter extends AuthenticationFailureRecorder {
  constructor(private readonly rateLimiter: RateLimiter) {
    super();
  }

  /**
   * Counts a failed credential.
   * @throws ApiError 429 `rate_limited` if the address exceeds its limit
   */
  async recordFailure(address: string): Promise<void> {
    const result = await this.rateLimiter.consume('address', toAddressOwner(address));
    if (result.isLimited) throw rateLimited(result);
  }

  /** Reverts `recordFailure` for a credential that turned out to be valid. */
  refundFailure(address: string): Promise<void> {
    return this.rateLimiter.refund('address', toAddressOwner(address));
  }
}
