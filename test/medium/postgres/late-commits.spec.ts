import { Client } from 'pg';
import { generateId } from '../../../src/common/ids';
import { EventLogRepository } from '../../../src/modules/event-streams/event-log.repository';
import { createBackend, type Backend } from '../../support/backend';
import { EventStreamClient } from '../../support/event-stream-client';
import { createTestDatabase, describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ALL_READ_SCOPES, Subscriber } from '../../support/webhooks/webhook-fixture';

const EVENTS = '/external/v1/events';

describeWithServices('an event stream beside transactions that commit late', () => {
  let backend: Backend;
  let service: Service;
  let ada: Subscriber;
  let clients: EventStreamClient[];
  let connections: Client[];

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start({ RATE_LIMIT_METADATA: '10000', EVENT_STREAMS_PER_TOKEN: '50' }, backend);
  });
  beforeEach(async () => {
    [clients, connections] = [[], []];
    ada = await Subscriber.signUp(service.http, ALL_READ_SCOPES);
  });
  afterEach(async () => {
    await Promise.all([...clients.map((client) => client.close()), ...connections.map((client) => client.end())]);
  });
  afterAll(() => service?.stop());

  const open = async (lastEventId?: string) => {
    const client = await EventStreamClient.open(service.url + EVENTS, ada.token, { lastEventId });
    clients.push(client);
    return client;
  };
  const connect = async (url = backend.env.DATABASE_URL) => {
    const client = new Client({ connectionString: url });
    connections.push(client);
    await client.connect();
    return client;
  };
  /** Inserts an event of the account as the service does, in this transaction. */
  const insertEvent = async (client: Client, accountId: string, id = generateId('evt')) => {
    const payload = JSON.stringify({ type: 'session.ended', timestamp: Date.now(), data: { id: 'ses_late' } });
    await client.query(
      `INSERT INTO event_log (id, account_id, type, payload, logged_at) VALUES ($1, $2, 'session.ended', $3, now())`,
      [id, accountId, payload],
    );
    return id;
  };
  const readSnapshot = async (client: Client) => {
    const { rows } = await client.query<{ after: string }>('SELECT pg_current_snapshot()::text AS after');
    return rows[0]!;
  };
  const findAccountId = async (client: Client) => {
    const { rows } = await client.query('SELECT account_id FROM external_tokens WHERE id = $1', [ada.tokenId]);
    return rows[0].account_id as string;
  };

  it('sends other events meanwhile, and the late ones once, from wherever a client resumes', async () => {
    const writers = [await connect(), await connect()];
    const accountId = await findAccountId(writers[0]!);
    const stream = await open();
    const lateIds: string[] = [];
    for (const writer of writers) {
      await writer.query('BEGIN');
      lateIds.push(await insertEvent(writer, accountId));
      await ada.triggerEvent();
    }
    await stream.waitForEvents(2);
    const early = [...stream.eventIds];
    expect(early).not.toEqual(expect.arrayContaining(lateIds));
    const cursors = [stream.opened!.id, ...stream.events.map(({ id }) => id)];

    await writers[1]!.query('COMMIT');
    await stream.waitForEvents(3);
    await ada.triggerEvent();
    await stream.waitForEvents(4);
    cursors.push(...stream.events.slice(2).map(({ id }) => id));
    await writers[0]!.query('COMMIT');
    await stream.waitForEvents(5);
    expect(stream.eventIds[2]).toBe(lateIds[1]);
    expect(stream.eventIds[4]).toBe(lateIds[0]);

    for (const [index, cursor] of cursors.entries()) {
      const resumed = await open(cursor);
      await resumed.waitForEvents(5 - index);
      expect(new Set(resumed.eventIds)).toEqual(new Set(stream.eventIds.slice(index)));
    }
  });

  it('reads several places in one statement, each after its own snapshot', async () => {
    const [writer, reader] = [await connect(), await connect()];
    const accountId = await findAccountId(writer);
    const eventLog = service.app.get(EventLogRepository, { strict: false });
    const findPlace = async () => ({ accountId, ...(await readSnapshot(reader)), at: Date.now(), page: null });
    const places = [await findPlace()];
    for (let n = 0; n < 3; n++) {
      await writer.query('BEGIN');
      await insertEvent(writer, accountId);
      places.push(await findPlace());
      await writer.query('COMMIT');
      places.push(await findPlace());
    }
    const counts = [3, 3, 2, 2, 1, 1, 0];
    for (const order of [counts.keys(), [...counts.keys()].reverse(), [1, 0, 3, 2, 5, 4, 6]]) {
      const indexes = [...order];
      const pages = await eventLog.readAccounts(
        indexes.map((index) => places[index]!),
        100,
      );
      const ids = pages.map(({ events }) => events.map(({ id }) => id));
      expect(ids.map((each) => new Set(each).size)).toEqual(indexes.map((index) => counts[index]));
      expect(ids.map((each) => each.length)).toEqual(indexes.map((index) => counts[index]));
    }
  });

  it('reads the rest of a page as of its snapshot, and what has committed since then once after it', async () => {
    const [writer, reader] = [await connect(), await connect()];
    const accountId = await findAccountId(writer);
    const eventLog = service.app.get(EventLogRepository, { strict: false });
    const place = { accountId, ...(await readSnapshot(reader)), at: Date.now(), page: null };
    const ids = Array.from({ length: 3 }, () => generateId('evt')).sort();
    for (const id of ids.slice(0, 2)) await insertEvent(writer, accountId, id);
    const readPage = async (change: object, limit: number) => {
      const [page] = await eventLog.readAccounts([{ ...place, ...change }], limit);
      return page!;
    };
    const first = await readPage({}, 1);
    expect(first).toMatchObject({ events: [{ id: ids[0] }], isFull: true });
    await insertEvent(writer, accountId, ids[2]);
    const page = { until: first.snapshot, untilAt: first.readAt, last: first.events[0]!.key };
    expect((await readPage({ page }, 100)).events.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await readPage({ after: first.snapshot }, 100)).events.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('sends nothing of a transaction that rolls back', async () => {
    const writer = await connect();
    const accountId = await findAccountId(writer);
    const stream = await open();
    await writer.query('BEGIN');
    await insertEvent(writer, accountId);
    await ada.triggerEvent();
    await stream.waitForEvents(1);
    await writer.query('ROLLBACK');
    await ada.triggerEvent();
    expect((await stream.waitForEvents(2)).map(({ type }) => type)).toEqual(['session.created', 'session.created']);
  });

  it('does not wait for a transaction of another database of the cluster', async () => {
    const other = await createTestDatabase();
    try {
      const writer = await connect(other.env.DATABASE_URL);
      await writer.query('BEGIN');
      await writer.query('SELECT pg_current_xact_id()');
      const stream = await open();
      await ada.triggerEvent();
      await stream.waitForEvents(1);
      const resumed = await open(stream.events[0]!.id);
      await ada.triggerEvent();
      await resumed.waitForEvents(1);
      await writer.end();
      connections = [];
    } finally {
      await other.dropDatabase();
    }
  });
});
