import { Logger } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../common/clock';
import { RateLimitStore, type WindowCount } from './rate-limit-store';

const RETRY_INTERVAL_MS = 1_000;
/** A server that was not asked for so long has no keys any more, as after a failover. */
const FORGET_AFTER_MS = 10_000;

/**
 * Counts per instance while the shared store is unavailable, and reports it in a log line and a metric. Of a store with
 * several servers, the others continue to count.
 */
export class FallbackRateLimitStore extends RateLimitStore {
  private readonly logger = new Logger('RateLimitStore');
  private readonly fallbackCounter: Counter;
  /** When to ask each unavailable server again. */
  private readonly retryAtByServer = new Map<string, number>();

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
    return this.countWithFallback(key, (store) => store.countHit(key, windowMs));
  }

  refundHit(key: string): Promise<void> {
    return this.countWithFallback(key, (store) => store.refundHit(key));
  }

  peekCount(key: string): Promise<WindowCount> {
    return this.countWithFallback(key, (store) => store.peekCount(key));
  }

  private async countWithFallback<T>(key: string, count: (store: RateLimitStore) => Promise<T>): Promise<T> {
    const server = this.sharedStore.findServer(key);
    const retryAt = this.retryAtByServer.get(server);
    if (retryAt !== undefined) {
      const remainingMs = retryAt - this.clock.now();
      // More than that is left if the clock has been set back.
      if (remainingMs > 0 && remainingMs <= RETRY_INTERVAL_MS) return this.countLocally(count);
      // Set before asking: if the server hangs, only this call waits for the timeout, not all that come meanwhile.
      this.postponeRetry(server);
    }
    try {
      const result = await count(this.sharedStore);
      if (this.retryAtByServer.size > 0) this.markAvailable(server);
      return result;
    } catch (error) {
      this.markUnavailable(server, error as Error);
      return this.countLocally(count);
    }
  }

  private countLocally<T>(count: (store: RateLimitStore) => Promise<T>): Promise<T> {
    this.fallbackCounter.inc();
    return count(this.localStore);
  }

  private markUnavailable(server: string, { message: reason }: Error): void {
    if (this.retryAtByServer.size === 0) {
      this.logger.warn({ reason }, 'rate limit store unavailable; counting per instance');
    }
    this.postponeRetry(server);
  }

  private postponeRetry(server: string): void {
    this.retryAtByServer.set(server, this.clock.now() + RETRY_INTERVAL_MS);
  }

  private markAvailable(server: string): void {
    const forgottenBefore = this.clock.now() - FORGET_AFTER_MS;
    for (const [each, retryAt] of this.retryAtByServer)
      if (each === server || retryAt < forgottenBefore) this.retryAtByServer.delete(each);
    if (this.retryAtByServer.size === 0) this.logger.log('rate limit store available; counting across instances');
  }
}
