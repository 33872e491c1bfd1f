import type { Result } from 'ioredis';
import { ClusterClient, findServer, tagForSlot, withTimeout, type RedisClient } from '../../core/redis';
import { RateLimitStore, type WindowCount } from './rate-limit-store';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    limitHit(key: string, windowMs: number): Result<[hits: number, remainingMs: number], Context>;
    limitRefund(key: string): Result<null, Context>;
    limitPeek(key: string): Result<[hits: string | null, remainingMs: number], Context>;
  }
}

const TIMEOUT_MS = 500;

// A counter without an expiry would block its account forever, so it gets a new window.
const HIT_SCRIPT = `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {hits, left}`;

// DECR alone would create a negative counter after the window has ended.
const REFUND_SCRIPT = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
return nil`;

const PEEK_SCRIPT = `return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}`;

/**
 * Counts exactly across all instances: one script call per hit, by the clock of Redis. In a cluster, the buckets of one
 * owner are on the node that also has the presence of its devices, so that an account depends on one node.
 */
export class RedisRateLimitStore extends RateLimitStore {
  constructor(private readonly redis: RedisClient) {
    super();
    redis.defineCommand('limitHit', { numberOfKeys: 1, lua: HIT_SCRIPT });
    redis.defineCommand('limitRefund', { numberOfKeys: 1, lua: REFUND_SCRIPT });
    redis.defineCommand('limitPeek', { numberOfKeys: 1, lua: PEEK_SCRIPT });
  }

  async countHit(key: string, windowMs: number): Promise<WindowCount> {
    const [hits, remainingMs] = await withTimeout(this.redis.limitHit(this.tagKey(key), windowMs), TIMEOUT_MS);
    return { hits, remainingMs };
  }

  async refundHit(key: string): Promise<void> {
    await withTimeout(this.redis.limitRefund(this.tagKey(key)), TIMEOUT_MS);
  }

  async peekCount(key: string): Promise<WindowCount> {
    const [hits, remainingMs] = await withTimeout(this.redis.limitPeek(this.tagKey(key)), TIMEOUT_MS);
    return { hits: Number(hits ?? 0), remainingMs: Math.max(0, remainingMs) };
  }

  override findServer(key: string): string {
    return findServer(this.redis, this.tagKey(key));
  }

  private tagKey(key: string): string {
    if (!(this.redis instanceof ClusterClient)) return key;
    const [, bucket, owner] = /^(\w+:[^:]+:)(.+)$/s.exec(key) ?? [];
    return owner === undefined ? key : bucket + tagForSlot(this.redis, owner);
  }
}
