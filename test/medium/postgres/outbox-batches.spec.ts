import { Clock, DAY } from '../../../src/common/clock';
import { getLowestId } from '../../../src/common/ids';
import { ReadOnlyState } from '../../../src/common/read-only-state';
import type { RetentionService } from '../../../src/core/database';
import type { DomainEvent } from '../../../src/core/events';
import { EventLogPartitionService } from '../../../src/core/events/event-log-partition.service';
import { OutboxRepository } from '../../../src/core/events/outbox.repository';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { WebhookQueues } from '../../support/webhooks/webhook-queues';

const WEBHOOK_IDS = ['whk_1', 'whk_2'];
const BATCHES = 'SELECT cardinality(event_ids)::int AS events FROM webhook_outbox_batches ORDER BY 1';

describeWithPostgres('the batches of the outbox', () => {
  let testDatabase: TestDatabase;
  let instances: [WebhookQueues, WebhookQueues];
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    await testDatabase.query(
      `INSERT INTO accounts (id, username, content_public_key, created_at) VALUES ('acc_1', 'ada', '{}', now())`,
    );
    await testDatabase.query(
      `INSERT INTO webhooks (id, account_id, url, events, scopes, secret, created_at, updated_at)
       SELECT id, 'acc_1', 'https://example.com', '{*}', '{}', '', now(), now() FROM unnest($1::text[]) id`,
      [WEBHOOK_IDS],
    );
    instances = [await WebhookQueues.open(testDatabase), await WebhookQueues.open(testDatabase)];
  });
  afterEach(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await testDatabase.dropDatabase();
  });

  const createEvents = (count: number, from = 0, type = 'message.created') =>
    Array.from({ length: count }, (_, n) => {
      return { type, accountId: 'acc_1', data: { sessionId: 'ses_1', seq: from + n } } as DomainEvent;
    });
  const take = ({ unitOfWork, outbox }: WebhookQueues) => unitOfWork.runInTransaction(() => outbox.takeEvents(200));
  const readSeqs = (events: readonly { payload: string }[]) =>
    events.map(({ payload }) => (JSON.parse(payload) as { data: { seq: number } }).data.seq);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

  it('have up to a hundred events of a type, and are taken in their order, with their payloads', async () => {
    const [instance] = instances;
    await instance.commitEvents([...createEvents(250), ...createEvents(1, 250, 'session.updated')]);
    expect(await testDatabase.query(BATCHES)).toEqual([1, 50, 100, 100].map((events) => ({ events })));
    const first = await take(instance);
    const second = await take(instance);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect(first.events.length).toBeLessThanOrEqual(200);
    const events = [...first.events, ...second.events];
    for (const from of [0, 100, 200]) {
      const seqs = readSeqs(events).filter((seq) => seq >= from && seq < Math.min(from + 100, 250));
      expect(seqs).toEqual(range(from, Math.min(from + 100, 250)));
    }
    expect(events).toHaveLength(251);
    for (const { account_id, type, payload, webhook_ids } of events) {
      const { data, ...body } = JSON.parse(payload) as { type: string; data: { seq: number } };
      expect([account_id, webhook_ids, body.type]).toEqual(['acc_1', WEBHOOK_IDS, type]);
      expect(type).toBe(data.seq === 250 ? 'session.updated' : 'message.created');
    }
    expect(await testDatabase.query(BATCHES)).toEqual([]);
  });

  it('are each taken by one of two instances', async () => {
    for (let n = 0; n < 40; n++) await instances[n % 2]!.commitEvents(createEvents(30, 30 * n));
    const takeAll = async (instance: WebhookQueues) => {
      const seqs: number[] = [];
      for (let hasMore = true; hasMore;) {
        const taken = await take(instance);
        seqs.push(...readSeqs(taken.events));
        ({ hasMore } = taken);
      }
      return seqs;
    };
    const seqs = (await Promise.all(instances.map(takeAll))).flat();
    expect(seqs.sort((a, b) => a - b)).toEqual(range(0, 1_200));
  });

  it('are taken together with the rows that the previous release has written', async () => {
    const [instance] = instances;
    await instance.commitEvents(createEvents(1));
    await testDatabase.query(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, webhook_ids)
       VALUES ($1, 'acc_1', 'message.created', '{"data": {"seq": 7}}', now(), $2)`,
      [getLowestId('evt', Date.now() - 1_000), WEBHOOK_IDS],
    );
    const { events, hasMore } = await take(instance);
    expect([readSeqs(events), hasMore]).toEqual([[7, 0], false]);
  });

  it('are dropped with the events of a deleted account, and others of the same transaction are not', async () => {
    const [instance] = instances;
    await instance.commitEvents(createEvents(2));
    await testDatabase.query(`DELETE FROM event_log WHERE payload LIKE '%"seq":0%'`);
    const { events, hasMore } = await take(instance);
    expect([readSeqs(events), hasMore]).toEqual([[1], false]);
    expect(await testDatabase.query(BATCHES)).toEqual([]);
  });

  it('keep an event from being added again for a webhook that it waits for', async () => {
    const [instance] = instances;
    const search = { accountId: 'acc_1', types: ['*'], since: new Date(0), until: new Date(Date.now() + DAY) };
    await instance.commitEvents(createEvents(2));
    const ids = await instance.outbox.findLoggedEvents(search, '', 10);
    const add = (webhookId: string) =>
      instance.unitOfWork.runInTransaction(() => instance.outbox.addLoggedEvents(search, ids, webhookId));
    await add('whk_1');
    expect((await take(instance)).events).toHaveLength(2);
    await add('whk_1');
    const { events } = await take(instance);
    expect(events.map(({ webhook_ids }) => webhook_ids)).toEqual([['whk_1'], ['whk_1']]);
  });

  it('keep the partition of their events in the log beyond its retention until they are taken', async () => {
    const [instance] = instances;
    const clock = Object.assign(new Clock(), { now: () => Date.now() + 5 * DAY });
    const partitions = new EventLogPartitionService(
      instance.unitOfWork,
      clock,
      null as unknown as RetentionService,
      new ReadOnlyState(),
      new OutboxRepository(instance.unitOfWork),
    );
    const name = `event_log_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
    const exists = async () => (await testDatabase.query(`SELECT 1 WHERE to_regclass('${name}') IS NOT NULL`)).length;
    await partitions.ensurePartitions([Date.now()]);
    await instance.commitEvents(createEvents(1));
    await partitions.maintainPartitions();
    expect(await exists()).toBe(1);
    expect(readSeqs((await take(instance)).events)).toEqual([0]);
    await partitions.maintainPartitions();
    expect(await exists()).toBe(0);
  });
});
