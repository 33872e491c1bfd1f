import type { Redis } from 'ioredis';
import { REDIS_CLIENT } from '../../src/core/redis';
import type { Service } from './service';

/** Advances the service's clock and its rate windows. Windows in Redis use Redis time, so their expiry is shortened. */
export async function advanceTime(service: Service, ms: number): Promise<void> {
  service.advanceClock(ms);
  const redis = getServiceRedis(service);
  if (!redis) return;
  for (const key of await redis.keys('limit:*')) {
    const remainingMs = await redis.pttl(key);
    if (remainingMs > ms) await redis.pexpire(key, remainingMs - ms);
    else await redis.del(key);
  }
}

/** Returns the service's own connection, or null without Redis. */
export function getServiceRedis(service: Service): Redis | null {
  return service.app.get<Redis | null>(REDIS_CLIENT, { strict: false });
}
