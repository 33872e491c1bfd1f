import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Config } from '../../../core/config';

const MAX_UNJOINED_SOCKETS = 1_000;

export type UnjoinedLimit = 'instance' | 'address';

/** Limits the sockets between upgrade and join, per instance and per client address. */
@Injectable()
export class UnjoinedSocketLimiter {
  private readonly countByAddress = new Map<string, number>();
  private totalCount = 0;

  constructor(private readonly config: Config) {}

  get size(): number {
    return this.totalCount;
  }

  /** Counts one more socket, or returns the limit that it would exceed. IPv6 addresses are counted per /64. */
  acquireSlot(address: string): UnjoinedLimit | null {
    if (this.totalCount >= MAX_UNJOINED_SOCKETS) return 'instance';
    const key = normalizeIp(address, 64);
    const count = this.countByAddress.get(key) ?? 0;
    if (count >= this.config.unjoinedSocketsPerAddress) return 'address';
    this.countByAddress.set(key, count + 1);
    this.totalCount += 1;
    return null;
  }

  releaseSlot(address: string): void {
    const key = normalizeIp(address, 64);
    const count = (this.countByAddress.get(key) ?? 0) - 1;
    if (count > 0) this.countByAddress.set(key, count);
    else this.countByAddress.delete(key);
    this.totalCount -= 1;
  }
}
