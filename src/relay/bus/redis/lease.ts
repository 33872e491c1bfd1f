import { Logger } from '@nestjs/common';
import { encode } from './envelope';
import { LEASE_PREFIX } from './keys';
import type { RedisClock } from './redis-clock';
import type { RedisLink } from './redis-link';

const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const TICK = encode({ type: 'tick' });

/** This instance's claim to live, which routing asks for; with each renewal the instance learns Redis time. */
export class Lease {
  private readonly logger = new Logger('RelayBus');
  private state: 'live' | 'draining' = 'live';
  private renewedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /** @param onLost called when a renewal found that the lease had ended: others may have pruned its devices */
  constructor(
    private readonly link: RedisLink,
    private readonly clock: RedisClock,
    private readonly instance: string,
    private readonly onLost: () => Promise<void>,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.renew(), RENEW_MS).unref();
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.link.commands.del(LEASE_PREFIX + this.instance).catch(() => undefined);
  }

  /** Ms since the last renewal. */
  get age(): number {
    return performance.now() - this.renewedAt;
  }

  async drain(): Promise<void> {
    this.state = 'draining';
    await this.renew();
  }

  async renew(): Promise<void> {
    const sentAt = performance.now();
    try {
      const [existed, seconds, microseconds, subscribers] = await this.link.guard(() =>
        this.link.commands.relayRenew(this.instance, this.state, LEASE_MS, TICK),
      );
      this.renewedAt = performance.now();
      this.link.expectTick(subscribers);
      this.clock.learn(sentAt, this.renewedAt, Number(seconds) * 1_000 + Number(microseconds) / 1_000);
      if (!existed) await this.onLost();
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'the lease was not renewed');
    }
  }
}
