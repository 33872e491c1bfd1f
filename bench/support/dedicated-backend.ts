import type { Backend } from '../../test/support/backend';
import { TEST_GRANT_KEYS } from '../../test/support/grant-keys';
import { RedisProcess } from '../../test/support/redis-process';
import { TemporaryPostgres } from '../../test/support/temporary-postgres';
import { LOOPBACK_DELIVERY_ENV } from './webhook-endpoint';

/** PostgreSQL and Redis used only by one measurement, so that their counters contain no other work. */
export interface DedicatedBackend extends Backend {
  postgres: TemporaryPostgres;
  redis: RedisProcess;
}

/** @param settings PostgreSQL settings as `name=value` */
export async function startDedicatedBackend(settings: readonly string[]): Promise<DedicatedBackend> {
  const postgres = await TemporaryPostgres.createCluster({ settings });
  const redis = await RedisProcess.start();
  return {
    postgres,
    redis,
    env: {
      ...LOOPBACK_DELIVERY_ENV,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      APP_SECRET: 'an application secret for tests only',
      GRANT_KEYS: TEST_GRANT_KEYS,
      SIGNUP: 'open',
    },
    dispose: async () => {
      await redis.removeProcess();
      await postgres.removeCluster();
    },
  };
}
