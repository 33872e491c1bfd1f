import { Logger } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../common/clock';
import { RateLimitStore, type WindowCount } from './rate-limit-store';

const RETRY_INTERVAL_MS = 1_000;

/** Counts per instance while the shared store is unavailable, and reports it in a log line and a metric. */
export class FallbackRateLimitStore extends RateLimitStore {
  private readonly logger = new Logger('RateLimitStore');
  private readonly fallbackCounter: Counter;
  private retryAt = 0;
  private isDegraded = false;

  constructor(
    private readonly sharedStore: RateLimitStore,
    private readonly localStore: RateLimitStore,
    registry: Registry,
    private readonly clock: Clock,
  ) {
    super();
    this.fallbackCounter = new Counter({
      name: 'rate_limit_fallback_total',
      help: 'Calls counted per instance because Redis did not answer',
      registers: [registry],
    });
  }

  countHit(key: string, windowMs: number): Promise<WindowCount> {
    return this.countWithFallback((store) => store.countHit(key, windowMs));
  }

  refundHit(key: string): Promise<void> {
    return this.countWithFallback((store) => store.refundHit(key));
  }

  peekCount(key: string): Promise<WindowCount> {
    return this.countWithFallback((store) => store.peekCount(key));
  }

  private async countWithFallback<T>(count: (store: RateLimitStore) => Promise<T>): Promise<T> {
    if (this.isDegraded && this.clock.now() < this.retryAt) return this.countLocally(count);
    try {
      const result = await count(this.sharedStore);
      this.setDegraded(false);
      return result;
    } catch (error) {
      // If Redis hangs, only one call a second waits for the timeout.
      this.retryAt = this.clock.now() + RETRY_INTERVAL_MS;
      this.setDegraded(true, error);
      return this.countLocally(count);
    }
  }

  private countLocally<T>(count: (store: RateLimitStore) => Promise<T>): Promise<T> {
    this.fallbackCounter.inc();
    return count(this.localStore);
  }

  private setDegraded(isDegraded: boolean, error?: unknown): void {
    if (isDegraded === this.isDegraded) return;
    this.isDegraded = isDegraded;
    if (isDegraded) {
      this.logger.warn({ reason: (error as Error).message }, 'rate limit store unavailable; counting per instance');
    } else {
      this.logger.log('rate limit store available; counting across instances');
    }
  }
}
