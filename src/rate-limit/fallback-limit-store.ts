import { Logger } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../common/clock';
import { LimitStore, type WindowCount } from './limit-store';

const RETRY_MS = 1_000;

/** Counts per instance while the shared store is away: the API stays up, and a log line and a metric say so. */
export class FallbackLimitStore extends LimitStore {
  private readonly logger = new Logger('RateLimit');
  private readonly fallbacks: Counter;
  private retryAt = 0;
  private degraded = false;

  constructor(
    private readonly shared: LimitStore,
    private readonly local: LimitStore,
    registry: Registry,
    private readonly clock: Clock,
  ) {
    super();
    this.fallbacks = new Counter({
      name: 'rate_limit_fallback_total',
      help: 'Calls counted per instance because Redis did not answer',
      registers: [registry],
    });
  }

  hit(key: string, windowMs: number): Promise<WindowCount> {
    return this.attempt((store) => store.hit(key, windowMs));
  }

  peek(key: string): Promise<WindowCount> {
    return this.attempt((store) => store.peek(key));
  }

  private async attempt(count: (store: LimitStore) => Promise<WindowCount>): Promise<WindowCount> {
    if (this.degraded && this.clock.now() < this.retryAt) return this.countLocally(count);
    try {
      const result = await count(this.shared);
      this.turn(false);
      return result;
    } catch (error) {
      // A Redis that hangs must not slow each call by its time-out: one call a second tries again.
      this.retryAt = this.clock.now() + RETRY_MS;
      this.turn(true, error);
      return this.countLocally(count);
    }
  }

  private countLocally(count: (store: LimitStore) => Promise<WindowCount>): Promise<WindowCount> {
    this.fallbacks.inc();
    return count(this.local);
  }

  private turn(degraded: boolean, error?: unknown): void {
    if (degraded === this.degraded) return;
    this.degraded = degraded;
    if (degraded) {
      this.logger.warn({ reason: (error as Error).message }, 'Redis is away: rate limits count per instance');
    } else {
      this.logger.log('Redis is back: rate limits are exact over all instances again');
    }
  }
}
