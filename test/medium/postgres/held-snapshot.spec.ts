import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MINUTE, SECOND } from '../../../src/common/clock';
import { getLowestId } from '../../../src/common/ids';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';
import { WebhookQueues } from '../../support/webhooks/webhook-queues';

const WEBHOOK_IDS = Array.from({ length: 20 }, (_, n) => `whk_${String(n).padStart(2, '0')}`);
const [FIRST_ID, SECOND_ID] = WEBHOOK_IDS as [string, string];
const ROUNDS = 100;

describeWithPostgres('webhook queues', () => {
  let testDatabase: TestDatabase;
  let instances: [WebhookQueues, WebhookQueues];
  let client: Client;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query(
      `INSERT INTO accounts (id, username, content_public_key, created_at) VALUES ('acc_1', 'ada', '{}', now())`,
    );
    await client.query(
      `INSERT INTO webhooks (id, account_id, url, events, scopes, secret, created_at, updated_at)
       SELECT id, 'acc_1', 'https://example.com', '{*}', '{}', '', now(), now() FROM unnest($1::text[]) id`,
      [WEBHOOK_IDS],
    );
    await client.query('INSERT INTO webhook_endpoint_queues (webhook_id) SELECT unnest($1::text[])', [WEBHOOK_IDS]);
    instances = [await WebhookQueues.open(testDatabase), await WebhookQueues.open(testDatabase)];
  });
  afterEach(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await client.end();
    await testDatabase.dropDatabase();
  });

  const insertEvent = (id: string, webhookId: string) =>
    client.query(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, webhook_ids)
       VALUES ($1, 'acc_1', 'webhook.test', '{}', now(), ARRAY[$2])`,
      [id, webhookId],
    );

  it('touch at most twice as many buffers with ten thousand dead rows behind a held snapshot', async () => {
    const [instance] = instances;
    for (let n = 0; n < 5; n++) await instance.deliverEvents(WEBHOOK_IDS);
    await client.query('VACUUM ANALYZE');
    const before = await instance.measure(WEBHOOK_IDS);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    for (let n = 0; n < ROUNDS; n++) {
      await instance.deliverEvents(WEBHOOK_IDS);
      // As autovacuum does. What PostgreSQL knows of the tables decides how it searches them.
      if (n % 10 === 0) await testDatabase.query('ANALYZE');
    }
    const during = await instance.measure(WEBHOOK_IDS);
    await client.query('COMMIT');
    const [dead] = await testDatabase.query<{ rows: number }>(
      `SELECT ((SELECT sum(version) FROM webhook_endpoint_queues) + -- each event is deleted, its delivery updated
              (SELECT 2 * count(*) FROM webhook_deliveries))::integer AS rows`,
    );
    expect(dead!.rows).toBeGreaterThan(10_000);
    const ratios = Object.keys(before).map((step) => ({ step, ratio: during[step]! / before[step]! }));
    expect(Object.keys(before)).toEqual(['take', 'fan out', 'lease', 'read due', 'write results', 'release']);
    expect(ratios.filter(({ ratio }) => !(ratio <= 2))).toEqual([]);
  });

  it('return an event at once that this instance commits after later ones', async () => {
    const [instance] = instances;
    await instance.takeWebhookIds();
    let commitFirst = () => {};
    let isCommitted: Promise<void> | undefined;
    await new Promise<void>((resolve) => {
      isCommitted = instance.commitEvent(FIRST_ID, () => {
        resolve();
        return new Promise((commit) => (commitFirst = commit));
      });
    });
    await instance.commitEvent(SECOND_ID);
    expect(await instance.takeWebhookIds()).toEqual([SECOND_ID]);
    commitFirst();
    await isCommitted;
    expect(await instance.takeWebhookIds()).toEqual([FIRST_ID]);
  });

  it('return events that another instance left: recent ones within a second, old ones within five', async () => {
    const [instance] = instances;
    await instance.takeWebhookIds();
    await insertEvent(getLowestId('evt', Date.now() - 2 * SECOND), FIRST_ID);
    await insertEvent(getLowestId('evt', Date.now() - 2 * MINUTE), SECOND_ID);
    expect(await instance.takeWebhookIds()).toEqual([]);
    instance.monotonicMs += SECOND;
    expect(await instance.takeWebhookIds()).toEqual([FIRST_ID]);
    instance.monotonicMs += 4 * SECOND;
    expect(await instance.takeWebhookIds()).toEqual([SECOND_ID]);
  });

  it('return events again when the transaction that took them was rolled back', async () => {
    const [instance] = instances;
    await instance.takeWebhookIds();
    await instance.commitEvent(FIRST_ID);
    const taking = instance.unitOfWork.runInTransaction(async () => {
      expect((await instance.outbox.takeEvents(200)).events).toHaveLength(1);
      throw new Error('lost');
    });
    await expect(taking).rejects.toThrow('lost');
    expect(await instance.takeWebhookIds()).toEqual([FIRST_ID]);
  });

  it('return all events of a backlog, in their order, in batches', async () => {
    const [instance, other] = instances;
    const ids = WEBHOOK_IDS.slice(0, 7);
    for (const id of ids) {
      await other.commitEvent(id);
      // Events of one millisecond have no order.
      await sleep(2);
    }
    const taken: string[][] = [];
    while ((taken.at(-1)?.length ?? 3) === 3) taken.push(await instance.takeWebhookIds(3));
    expect(taken).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  it('give each event and each lease to one of two instances', async () => {
    for (let n = 0; n < 10; n++) for (const id of WEBHOOK_IDS) await instances[n % 2]!.commitEvent(id);
    const takeAll = async (instance: WebhookQueues) => {
      const taken: string[] = [];
      for (let ids = ['']; ids.length > 0; taken.push(...ids)) ids = await instance.takeWebhookIds(7);
      return taken;
    };
    const taken = (await Promise.all(instances.map(takeAll))).flat();
    expect(taken.sort()).toEqual(WEBHOOK_IDS.flatMap((id) => Array<string>(10).fill(id)));

    await instances[0].insertDeliveries(WEBHOOK_IDS);
    const leases = (await Promise.all(instances.map((instance) => instance.leaseQueues()))).flat();
    expect(leases.map(({ webhookId }) => webhookId).sort()).toEqual(WEBHOOK_IDS);
  });

  it('lock the current version of a queue while another transaction changes it', async () => {
    const [instance] = instances;
    await instance.insertDeliveries([FIRST_ID]);
    await client.query('BEGIN');
    await client.query('UPDATE webhook_endpoint_queues SET version = version + 1, lease = 7 WHERE webhook_id = $1', [
      FIRST_ID,
    ]);
    const locking = instance.queues.lockEndpointQueues([SECOND_ID, FIRST_ID]);
    await waitFor(async () =>
      expect(
        await testDatabase.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      ).toHaveLength(1),
    );
    await client.query('COMMIT');
    expect((await locking).map(({ webhookId, fencingToken }) => [webhookId, fencingToken])).toEqual([
      [FIRST_ID, '7'],
      [SECOND_ID, '0'],
    ]);
  });
});
