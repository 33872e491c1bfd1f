import type { Redis } from 'ioredis';
import { REDIS } from '../../src/persistence';
import type { Service } from './service';

/** Moves the service's clock and its rate windows: those in Redis run on Redis time, so they are shortened. */
export async function passTime(service: Service, ms: number): Promise<void> {
  service.advance(ms);
  const redis = redisOf(service);
  if (!redis) return;
  for (const key of await redis.keys('limit:*')) {
    const left = await redis.pttl(key);
    if (left > ms) await redis.pexpire(key, left - ms);
    else await redis.del(key);
  }
}

/** The service's own connection, null where it runs without Redis. */
export function redisOf(service: Service): Redis | null {
  return service.app.get<Redis | null>(REDIS, { strict: false });
}
