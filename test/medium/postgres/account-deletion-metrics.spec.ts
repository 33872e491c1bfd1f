import { UnitOfWork } from '../../../src/core/database';
import { AccountDeletionMetrics } from '../../../src/modules/accounts/deletion/account-deletion-metrics';
import { findFreePort } from '../../support/find-free-port';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { Service } from '../../support/service';

describeWithPostgres('the gauges of pending account deletions', () => {
  let testDatabase: TestDatabase;
  let service: Service;
  let metricsPort: number;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    metricsPort = await findFreePort();
    service = await Service.start(
      { METRICS_PORT: String(metricsPort) },
      { env: testDatabase.env, dispose: testDatabase.dropDatabase },
    );
  });
  afterAll(() => service?.stop());

  async function readGauge(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  }

  /** Measures with accounts that were deleted this many minutes ago, in a transaction that is rolled back. */
  async function measureWith(minutes: number[]): Promise<void> {
    const unitOfWork = service.app.get(UnitOfWork);
    const rolledBack = unitOfWork.runInTransaction(async () => {
      await unitOfWork.queryRows(
        `INSERT INTO accounts (id, username, content_public_key, created_at, deleted_at)
         SELECT 'acc_' || m, 'ada_' || m, '{}', now(), now() - m * interval '1 minute' FROM unnest($1::int[]) m`,
        [minutes],
      );
      await service.app.get(AccountDeletionMetrics, { strict: false }).updateValues();
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
  }

  it('are 0 without a pending deletion', async () => {
    await measureWith([]);
    expect(await readGauge('account_deletions_pending')).toBe(0);
    expect(await readGauge('account_deletion_oldest_seconds')).toBe(0);
  });

  it('are the number and the age of the oldest', async () => {
    await measureWith([5, 90, 30]);
    expect(await readGauge('account_deletions_pending')).toBe(3);
    expect(Math.round((await readGauge('account_deletion_oldest_seconds')) / 60)).toBe(90);
  });
});
