import { Injectable } from '@nestjs/common';
import { toAddressOwner } from '../../../access/rate-limiting';
import { SlotLimiter } from '../../../common/slot-limiter';
import { Config } from '../../../core/config';

const MAX_UNJOINED_SOCKETS = 1_000;

export type UnjoinedLimit = 'instance' | 'address';

/** Limits the sockets between upgrade and join, per instance and per client address. */
@Injectable()
export class UnjoinedSocketLimiter {
  private readonly slots: SlotLimiter;

  constructor(config: Config) {
    this.slots = new SlotLimiter(config.unjoinedSocketsPerAddress, MAX_UNJOINED_SOCKETS);
  }

  get size(): number {
    return this.slots.size;
  }

  /** Counts one more socket, or returns the limit that it would exceed. IPv6 addresses are counted per /64. */
  acquireSlot(address: string): UnjoinedLimit | null {
    const limit = this.slots.acquireSlot(toAddressOwner(address));
    return limit && (limit === 'total' ? 'instance' : 'address');
  }

  releaseSlot(address: string): void {
    this.slots.releaseSlot(toAddressOwner(address));
  }
}
