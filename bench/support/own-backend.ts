import type { Backend } from '../../test/support/backend';
import { TEST_GRANT_KEYS } from '../../test/support/grant-keys';
import { RedisProcess } from '../../test/support/redis-process';
import { ThrowAwayPostgres } from '../../test/support/throw-away-postgres';
import { LOOPBACK } from './webhooks';

/** A PostgreSQL and a Redis that nobody else uses, for as long as it takes: whatever they count was done here. */
export interface OwnBackend extends Backend {
  postgres: ThrowAwayPostgres;
  redis: RedisProcess;
}

/** @param settings of PostgreSQL, as `name=value` */
export async function startOwnBackend(settings: readonly string[]): Promise<OwnBackend> {
  const postgres = await ThrowAwayPostgres.create({ settings });
  const redis = await RedisProcess.start();
  return {
    postgres,
    redis,
    env: {
      ...LOOPBACK,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      APP_SECRET: 'an application secret for tests only',
      GRANT_KEYS: TEST_GRANT_KEYS,
      SIGNUP: 'open',
    },
    dispose: async () => {
      await redis.remove();
      await postgres.remove();
    },
  };
}
