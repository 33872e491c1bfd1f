import { Injectable } from '@nestjs/common';
import type { ApiError } from '../../../common/errors';
import { AddressRateLimiter, rateLimited, RateLimiter, type RateLimitResult } from '../../../access/rate-limiting';

/** Limits pairing code entry per account. Ten wrong codes in ten minutes block it for another ten minutes. */
@Injectable()
export class PairingCodeLimiter {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly addressLimiter: AddressRateLimiter,
  ) {}

  /**
   * Looks up a code as one attempt of the account and the address. The attempt is consumed before the look-up, so that
   * concurrent guesses are limited like sequential ones. It is refunded unless the code is wrong.
   * @param findByCode returns null for a wrong code
   * @throws ApiError 429 while code entry is blocked or after too many failures from the address
   */
  async limitLookup<T>(accountId: string, address: string, findByCode: () => Promise<T | null>): Promise<T | null> {
    await this.consumeAttempt(accountId, address);
    let found: T | null;
    try {
      found = await findByCode();
    } catch (error) {
      await this.refundAttempt(accountId, address);
      throw error;
    }
    if (found !== null) await this.refundAttempt(accountId, address);
    else await this.countWrongCode(accountId);
    return found;
  }

  /** Wrong codes have their own counter, because attempts in flight may still succeed. */
  private async countWrongCode(accountId: string): Promise<void> {
    const { state } = await this.rateLimiter.consume('wrong-pairing-codes', accountId);
    if (state.remaining === 0) await this.rateLimiter.consume('pairing-lock', accountId);
  }

  private async consumeAttempt(accountId: string, address: string): Promise<void> {
    const lock = await this.rateLimiter.peek('pairing-lock', accountId);
    if (lock.isLimited) throw rateLimited(lock);
    const result = await this.rateLimiter.consume('pairing-codes', accountId);
    if (result.isLimited) throw await this.createLimitError(accountId, result);
    try {
      await this.addressLimiter.recordFailure(address);
    } catch (error) {
      await this.rateLimiter.refund('pairing-codes', accountId);
      throw error;
    }
  }

  /** Attempts in flight are refunded within moments. Only wrong codes count until the window ends. */
  private async createLimitError(accountId: string, result: RateLimitResult): Promise<ApiError> {
    await this.rateLimiter.refund('pairing-codes', accountId);
    const wrong = await this.rateLimiter.peek('wrong-pairing-codes', accountId);
    return rateLimited(wrong.isLimited ? result : { ...result, state: { ...result.state, reset: 1 } });
  }

  private async refundAttempt(accountId: string, address: string): Promise<void> {
    await this.rateLimiter.refund('pairing-codes', accountId);
    await this.addressLimiter.refundFailure(address);
  }
}
