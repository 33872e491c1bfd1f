import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { FailedAttempts } from '../auth';
import { rateLimited } from './rate-limited';
import { RateLimits } from './rate-limits';

/** Failed credentials draw on their address (IPv6 by /64), so that a bad token drains no account's quota. */
@Injectable()
export class AddressBucket extends FailedAttempts {
  constructor(private readonly limits: RateLimits) {
    super();
  }

  /** @throws ApiError 429 once the address is past its limit */
  async record(address: string): Promise<void> {
    const draw = await this.limits.draw('address', normalizeIp(address, 64));
    if (draw.refused) throw rateLimited(draw);
  }
}
