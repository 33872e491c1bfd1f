import { Injectable } from '@nestjs/common';
import { AddressBucket, rateLimited, RateLimits } from '../../rate-limit';

/** Guards an account's code entry: ten wrong codes in ten minutes close it for ten more. */
@Injectable()
export class CodeEntry {
  constructor(
    private readonly limits: RateLimits,
    private readonly addresses: AddressBucket,
  ) {}

  /** @throws ApiError 429 while the entry is closed */
  async requireOpen(accountId: string): Promise<void> {
    const lock = await this.limits.look('pairing-lock', accountId);
    if (lock.refused) throw rateLimited(lock);
  }

  /** @throws ApiError 429 once the address has failed too often */
  async recordWrongCode(accountId: string, address: string): Promise<void> {
    const wrong = await this.limits.draw('pairing-codes', accountId);
    if (wrong.state.remaining === 0) await this.limits.draw('pairing-lock', accountId);
    await this.addresses.record(address);
  }
}
