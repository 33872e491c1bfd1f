import type { BenchCleanup } from '../benchmark-row';
import { listBackendParts } from '../support/dedicated-fixture';
import { DatabaseSampler, type DatabaseSecond } from './database-sampler';
import { ProcessSampler, type ProcessSecond } from './process-second';
import type { SoakSetup } from './soak-setup';

/** What the machine and the databases did in one second. */
export interface SystemSecond extends DatabaseSecond {
  service: ProcessSecond;
  redis: ProcessSecond;
  postgres: ProcessSecond;
}

/** Reads the scheduling of all processes and the waits of the databases. */
export class SystemSampler {
  private constructor(
    private readonly parts: Record<'service' | 'redis' | 'postgres', ProcessSampler>,
    private readonly databaseSampler: DatabaseSampler,
  ) {}

  static async start(benchCleanup: BenchCleanup, { benchFixture, backend }: SoakSetup): Promise<SystemSampler> {
    const databaseSampler = await DatabaseSampler.start(benchFixture.databaseUrl, benchFixture.redisUrl);
    benchCleanup.add(databaseSampler);
    const { Redis, PostgreSQL } = listBackendParts(backend);
    return new SystemSampler(
      {
        service: new ProcessSampler(() => [benchFixture.firstInstance.benchProcess.pid]),
        redis: new ProcessSampler(Redis),
        postgres: new ProcessSampler(PostgreSQL),
      },
      databaseSampler,
    );
  }

  /** Returns the figures since the last call. */
  takeSecond(): SystemSecond {
    return {
      service: this.parts.service.takeSecond(),
      redis: this.parts.redis.takeSecond(),
      postgres: this.parts.postgres.takeSecond(),
      ...this.databaseSampler.takeSecond(),
    };
  }
}
