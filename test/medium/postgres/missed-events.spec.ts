import { DataSource } from 'typeorm';
import { Clock } from '../../../src/common/clock';
import { UnitOfWork } from '../../../src/core/database';
import { EventLogRepository, type AccountPlace } from '../../../src/modules/event-streams/event-log.repository';
import { createBackend, type Backend } from '../../support/backend';
import { EventStreamClient } from '../../support/event-stream-client';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ALL_READ_SCOPES, Subscriber } from '../../support/webhooks/webhook-fixture';

const EVENTS = '/external/v1/events';
const MISSED = 10_000;

/** Plan of `EXPLAIN (ANALYZE, BUFFERS)`. */
interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** Remembers the plans of the statements that it runs. */
class ExplainingUnitOfWork extends UnitOfWork {
  readonly plans: Plan[] = [];

  override async queryRows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    if (sql.includes('event_log')) {
      const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`;
      const [row] = await this.manager.query<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(explain, parameters);
      this.plans.push(row!['QUERY PLAN'][0]!.Plan);
    }
    return super.queryRows<Row>(sql, parameters);
  }
}

describeWithServices('event streams that have missed events', () => {
  let backend: Backend;
  let service: Service;
  let dataSource: DataSource;
  let ada: Subscriber;
  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start({ RATE_LIMIT_METADATA: '10000' }, backend);
    dataSource = await new DataSource({ type: 'postgres', url: backend.env.DATABASE_URL! }).initialize();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(service.http, ALL_READ_SCOPES);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await service?.stop();
  });

  const insertEvents = async (accountId: string, count: number) => {
    await dataSource.query(
      `INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
       SELECT 'evt_' || lpad(g::text, 26, '0'), $1, 'ses_' || lpad((g / 1000)::text, 26, '0'), g % 1000,
              'session.ended',
              '{"type":"session.ended","timestamp":0,"data":{"id":"ses_1"}}', now() FROM generate_series(1, $2) g`,
      [accountId, count],
    );
    await dataSource.query('ANALYZE event_log');
  };
  const readCursor = async () => {
    const client = await EventStreamClient.open(service.url + EVENTS, ada.token);
    await client.close();
    return client.lastEventId;
  };
  const resume = (lastEventId: string) =>
    service.http.get(`${EVENTS}?types=session.created`, ada.token, { headers: { 'Last-Event-ID': lastEventId } });

  it('expire beyond 10,000 events', async () => {
    const cursor = await readCursor();
    await insertEvents(ada.device.accountId, MISSED);
    const client = await EventStreamClient.open(service.url + EVENTS, ada.token, { lastEventId: cursor });
    await client.waitForEvents(MISSED, 120_000);
    await client.close();
    await insertEvents(ada.device.accountId, 1);
    expect(await resume(cursor)).toMatchObject({
      status: 410,
      body: { code: 'stream_expired', lastEventId: cursor, detail: expect.stringContaining('10000') },
    });
    // The stream had read all but the last event.
    const again = await EventStreamClient.open(service.url + EVENTS, ada.token, { lastEventId: client.lastEventId });
    await again.waitForEvents(1);
    await again.close();
  });

  it('end when more than 10,000 events wait, and expire then', async () => {
    const client = await EventStreamClient.open(service.url + EVENTS, ada.token);
    await insertEvents(ada.device.accountId, MISSED + 1);
    await client.ended;
    expect(client.events).toEqual([]);
    expect((await resume(client.lastEventId)).status).toBe(410);
  });

  it('read as much for an account with 200,000 events as for one with 20,000, and no more for the others', async () => {
    const unitOfWork = new ExplainingUnitOfWork(dataSource);
    const eventLog = new EventLogRepository(unitOfWork, new Clock());
    const [{ after }] = await dataSource.query('SELECT pg_current_snapshot()::text AS after');
    const place = (accountId: string): AccountPlace => ({ accountId, after, at: Date.now(), page: null });
    const [small, large, victim] = ['acc_small', 'acc_large', 'acc_victim'];
    await insertEvents(small, 20_000);
    await insertEvents(victim, 1);
    const measure = async (accountId: string, isBacklog: boolean) => {
      unitOfWork.plans.length = 0;
      const isTooMany = await eventLog.hasMissedTooMany(place(accountId));
      const page = isBacklog
        ? await eventLog.readMissed(place(accountId), 500)
        : (await eventLog.readAccounts([place(accountId)], 100))[0]!;
      const nodes = unitOfWork.plans.flatMap(listNodes);
      // The partitions of the next days are empty.
      expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan' && countBuffers(node) > 0)).toEqual([]);
      const buffers = unitOfWork.plans.reduce((sum, plan) => sum + countBuffers(plan), 0);
      return { isTooMany, isOverflowing: page.isOverflowing, events: page.events.length, buffers };
    };
    const before = await measure(small, true);
    const victimBefore = await measure(victim, false);
    await insertEvents(large, 200_000);
    const after200 = await measure(large, true);
    expect(after200).toMatchObject({ isTooMany: true, isOverflowing: true, events: 0 });
    expect(after200.buffers).toBeLessThan(before.buffers * 1.5);
    const victimAfter = await measure(victim, false);
    expect(victimAfter).toMatchObject({ isTooMany: false, isOverflowing: false, events: 1 });
    expect(victimAfter.buffers).toBeLessThanOrEqual(victimBefore.buffers + 20);
  });
});

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function countBuffers(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
