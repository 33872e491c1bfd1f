import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, MINUTE } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { RateLimitStore, type WindowCount } from './rate-limit-store';

interface Window {
  hits: number;
  endsAt: number;
  lengthMs: number;
}

/** Counts in this process: the default without Redis, and the fallback while Redis is unavailable. */
@Injectable()
export class MemoryRateLimitStore extends RateLimitStore implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly windows = new Map<string, Window>();
  private readonly cleanupTask = new PeriodicTask('rate limit window cleanup', MINUTE, () =>
    this.deleteExpiredWindows(),
  );

  constructor(private readonly clock: Clock) {
    super();
  }

  countHit(key: string, windowMs: number): Promise<WindowCount> {
    const now = this.clock.now();
    let window = this.windows.get(key);
    if (!window || isOver(window, now)) {
      window = { hits: 0, endsAt: now + windowMs, lengthMs: windowMs };
      this.windows.set(key, window);
    }
    window.hits += 1;
    return Promise.resolve({ hits: window.hits, remainingMs: window.endsAt - now });
  }

  refundHit(key: string): Promise<void> {
    const window = this.windows.get(key);
    if (window && window.hits > 0 && !isOver(window, this.clock.now())) window.hits -= 1;
    return Promise.resolve();
  }

  peekCount(key: string): Promise<WindowCount> {
    const now = this.clock.now();
    const window = this.windows.get(key);
    if (!window || isOver(window, now)) return Promise.resolve({ hits: 0, remainingMs: 0 });
    return Promise.resolve({ hits: window.hits, remainingMs: window.endsAt - now });
  }

  onApplicationBootstrap(): void {
    this.cleanupTask.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.cleanupTask.stop();
  }

  private deleteExpiredWindows(): void {
    const now = this.clock.now();
    for (const [key, window] of this.windows) if (isOver(window, now)) this.windows.delete(key);
  }
}

/** A window that would last longer than its length began before the clock was set back. */
const isOver = ({ endsAt, lengthMs }: Window, now: number): boolean => endsAt <= now || endsAt - now > lengthMs;
