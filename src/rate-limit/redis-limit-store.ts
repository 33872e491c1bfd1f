import type { Redis, Result } from 'ioredis';
import { answered } from '../persistence';
import { LimitStore, type WindowCount } from './limit-store';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    limitHit(key: string, windowMs: number): Result<[hits: number, remainingMs: number], Context>;
    limitPeek(key: string): Result<[hits: string | null, remainingMs: number], Context>;
  }
}

const WITHIN_MS = 500;

// A counter without an expiry would refuse its account for ever, so one that lost it gets a new window.
const HIT = `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {hits, left}`;

const PEEK = `return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}`;

/** Exact over all instances: one script round trip a call, on Redis time. */
export class RedisLimitStore extends LimitStore {
  constructor(private readonly redis: Redis) {
    super();
    redis.defineCommand('limitHit', { numberOfKeys: 1, lua: HIT });
    redis.defineCommand('limitPeek', { numberOfKeys: 1, lua: PEEK });
  }

  async hit(key: string, windowMs: number): Promise<WindowCount> {
    const [hits, remainingMs] = await answered(this.redis.limitHit(key, windowMs), WITHIN_MS);
    return { hits, remainingMs };
  }

  async peek(key: string): Promise<WindowCount> {
    const [hits, remainingMs] = await answered(this.redis.limitPeek(key), WITHIN_MS);
    return { hits: Number(hits ?? 0), remainingMs: Math.max(0, remainingMs) };
  }
}
