import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, MINUTE } from '../common/clock';
import { LimitStore, type WindowCount } from './limit-store';

/** For one process: the default, and what an instance falls back to while Redis is away. */
@Injectable()
export class MemoryLimitStore extends LimitStore implements OnApplicationShutdown {
  private readonly windows = new Map<string, { hits: number; endsAt: number }>();
  private readonly sweeper = setInterval(() => this.sweep(), MINUTE).unref();

  constructor(private readonly clock: Clock) {
    super();
  }

  hit(key: string, windowMs: number): Promise<WindowCount> {
    const now = this.clock.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { hits: 0, endsAt: now + windowMs };
      this.windows.set(key, window);
    }
    window.hits += 1;
    return Promise.resolve({ hits: window.hits, remainingMs: window.endsAt - now });
  }

  peek(key: string): Promise<WindowCount> {
    const now = this.clock.now();
    const window = this.windows.get(key);
    if (!window || window.endsAt <= now) return Promise.resolve({ hits: 0, remainingMs: 0 });
    return Promise.resolve({ hits: window.hits, remainingMs: window.endsAt - now });
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweeper);
  }

  private sweep(): void {
    const now = this.clock.now();
    for (const [key, window] of this.windows) if (window.endsAt <= now) this.windows.delete(key);
  }
}
