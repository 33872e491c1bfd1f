import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../../src/core/database';
import { WebhookBacklogRepository } from '../../../src/modules/webhooks/dispatch/webhook-backlog.repository';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { Service } from '../../support/service';

const LOCK = 'SELECT pg_advisory_xact_lock(7264005)';

describeWithPostgres('the backlog of webhooks', () => {
  let testDatabase: TestDatabase;
  let service: Service;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    service = await Service.start({}, { env: testDatabase.env, dispose: testDatabase.dropDatabase });
  });
  afterAll(() => service?.stop());

  /** Measures after these statements, which are rolled back: no worker sees their rows. */
  async function measureAfter(statements: string[]) {
    const unitOfWork = service.app.get(UnitOfWork);
    const repository = service.app.get(WebhookBacklogRepository, { strict: false });
    let backlog: unknown;
    const isRolledBack = await unitOfWork
      .runInTransaction(async () => {
        for (const statement of statements) await unitOfWork.queryRows(statement);
        backlog = await repository.measureExclusively(new Date());
        throw new Error('roll back');
      })
      .catch((error: Error) => error.message === 'roll back');
    expect(isRolledBack).toBe(true);
    return backlog;
  }

  const waitsFor = (minutes: number) => `clock_timestamp() - interval '${minutes} minutes'`;

  it('is empty at first', async () => {
    const empty = { outboxEvents: 0, outboxOldestSeconds: 0, pendingDeliveries: 0, oldestDueSeconds: 0 };
    expect(await measureAfter([])).toMatchObject(empty);
  });

  it('counts waiting events and deliveries, and shows the age of the oldest that is due', async () => {
    const backlog = await measureAfter([
      `INSERT INTO accounts (id, username, content_public_key, created_at) VALUES ('acc_1', 'ada', '{}', now())`,
      `INSERT INTO webhook_outbox (id, account_id, type, payload, webhook_ids, created_at)
       SELECT 'evt_' || n, 'acc_1', 'x', '{}', '{}', ${waitsFor(5)} + n * interval '1 minute'
         FROM generate_series(1, 3) n`,
      `INSERT INTO webhooks (id, account_id, url, events, scopes, secret, created_at, updated_at)
       VALUES ('whk_1', 'acc_1', 'https://example.com', '{*}', '{}', 'x', now(), now())`,
      `INSERT INTO webhook_endpoint_queues (webhook_id, due_at) VALUES ('whk_1', ${waitsFor(60)})`,
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at)
       VALUES ('dlv_1', 'whk_1', 'evt_1', 'x', '{}', ${waitsFor(10)}, now()),
              ('dlv_2', 'whk_1', 'evt_2', 'x', '{}', clock_timestamp() + interval '1 hour', now())`,
    ]);
    expect(backlog).toMatchObject({ outboxEvents: 3, pendingDeliveries: 2 });
    const { outboxOldestSeconds, oldestDueSeconds } = backlog as Record<string, number>;
    expect(Math.round(outboxOldestSeconds! / 60)).toBe(4);
    // The time of the delivery, not the outdated one of its queue.
    expect(Math.round(oldestDueSeconds! / 60)).toBe(10);
  });

  it('is measured by one instance at a time, and includes the oldest transaction', async () => {
    const other = service.app.get(DataSource).createQueryRunner();
    await other.startTransaction();
    await other.query(LOCK);
    expect(await measureAfter([])).toBeNull();
    await other.rollbackTransaction();
    await other.startTransaction();
    await other.query('SELECT pg_sleep(1)');
    const backlog = (await measureAfter([])) as { oldestTransactionSeconds: number };
    await other.rollbackTransaction();
    await other.release();
    expect(backlog.oldestTransactionSeconds).toBeGreaterThanOrEqual(1);
  });
});
