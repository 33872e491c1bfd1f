import { inflateSync } from 'node:zlib';
import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { acceptRequest, respondWithStatus, WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { cleanUpDeletedWebhooks } from '../../support/webhooks/webhook-rows';

/** Nothing listens there. */
const DEAD_URL = 'http://127.0.0.1:9/';
const MEBIBYTE = 1_048_576;
const BATCH = 100;
const MAX_PENDING = 10_000;
const MAX_REPLAYED = 8_000;

describe('the backlog of a webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let session: DeviceSession;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    session = await DeviceSession.createSession(ada.device);
  });
  afterAll(() => fixture?.stop());

  const query = <Row>(sql: string, parameters: unknown[] = []) => queryDatabase<Row>(fixture.service, sql, parameters);
  const append = async (calls: number) => {
    const localId = (call: number, n: number) => `${Math.random()}-${call}-${n}`;
    for (let call = 0; call < calls; call++) {
      await session.appendMessages(...Array.from({ length: BATCH }, (_, n) => localId(call, n)));
    }
  };
  const readCounts = async (webhookId: string) => {
    const [row] = await query<{ rows: number; waiting: number; counted: number }>(
      `SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending') AS rows,
              (SELECT coalesce(sum(cardinality(positions)), 0)::int FROM webhook_backlog_entries
                WHERE webhook_id = $1) AS waiting,
              (SELECT backlog_events FROM webhook_endpoint_queues WHERE webhook_id = $1) AS counted`,
      [webhookId],
    );
    return row!;
  };
  const waitForPending = (webhookId: string, count: number) =>
    waitFor(async () => {
      const { rows, waiting } = await readCounts(webhookId);
      expect(rows + waiting).toBe(count);
    }, 20_000);
  const createPausedWebhook = async (url: string, events = ['message.created']) => {
    const { id } = await ada.createWebhook(url, events);
    expectStatus(await ada.postAction(id, 'pause'), 200);
    return id;
  };
  /** Returns the bytes of all tables, their indexes included. */
  const readSize = async () => {
    const [row] = await query<{ bytes: string }>(
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    return Number(row!.bytes);
  };
  const listBatchIds = async (webhookId: string) =>
    (
      await query<{ id: string }>('SELECT batch_id AS id FROM webhook_backlog_entries WHERE webhook_id = $1', [
        webhookId,
      ])
    ).map(({ id }) => id);
  const countBatches = async (ids: readonly string[]) =>
    (await query('SELECT 1 FROM webhook_backlog_batches WHERE id = ANY($1)', [ids])).length;

  it('takes less than 10 MiB for 5,200 messages and 20 webhooks whose receivers don’t exist', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push((await ada.createWebhook(DEAD_URL)).id);
    const before = await readSize();
    await append(52);
    await waitForPending(ids[19]!, 5_200);
    expect((await readSize()) - before).toBeLessThan(10 * MEBIBYTE);
    for (const id of ids) expect((await readCounts(id)).rows).toBeLessThan(3 * BATCH);
  });

  it('is delivered whole when the webhook resumes, each event once, and leaves no rows', async () => {
    const receiver = await WebhookReceiver.start();
    const id = await createPausedWebhook(receiver.url);
    const other = await createPausedWebhook(receiver.url);
    await append(5);
    await waitForPending(id, 500);
    expect(await readCounts(id)).toEqual({ rows: 20, waiting: 480, counted: 480 });
    const batchIds = await listBatchIds(id);
    expect(await countBatches(batchIds)).toBeGreaterThan(0);
    expectStatus(await ada.postAction(id, 'resume'), 200);
    await waitFor(() => expect(receiver.received).toHaveLength(500), 60_000);
    expect(new Set(receiver.received.map(({ payload }) => payload.data.seq)).size).toBe(500);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(500);
    await waitForPending(id, 0);
    // New events don't wait.
    await append(1);
    await waitFor(() => expect(receiver.received).toHaveLength(600), 10_000);
    await waitForPending(id, 0);
    // A receiver that accepts them gets more at a time.
    expectStatus(await ada.postAction(id, 'pause'), 200);
    await append(2);
    await waitForPending(id, 200);
    expect(await readCounts(id)).toMatchObject({ rows: BATCH, waiting: BATCH });
    expectStatus(await ada.postAction(id, 'resume'), 200);
    await waitForPending(id, 0);
    expect(await query('SELECT 1 FROM webhook_backlog_entries WHERE webhook_id = $1', [id])).toEqual([]);
    expectStatus(await fixture.service.http.delete(`/external/v1/webhooks/${other}`, ada.token), 204);
    await cleanUpDeletedWebhooks(fixture.service);
    expect(await query('SELECT 1 FROM webhook_backlog_entries WHERE webhook_id = $1', [other])).toEqual([]);
    expect(await countBatches(batchIds)).toBe(0);
    await receiver.stop();
  });

  it('delivers events that were added before they were compressed', async () => {
    const receiver = await WebhookReceiver.start();
    const since = fixture.service.now;
    const id = await createPausedWebhook(receiver.url);
    await append(2);
    await waitForPending(id, 200);
    const batches = await query<{ id: string; content: Uint8Array }>(
      'SELECT id, compressed_events AS content FROM webhook_backlog_batches WHERE id = ANY($1)',
      [await listBatchIds(id)],
    );
    for (const { id: batchId, content } of batches) {
      await query(
        'UPDATE webhook_backlog_batches SET events = $2, event_ids = NULL, compressed_events = NULL WHERE id = $1',
        [batchId, inflateSync(content).toString()],
      );
    }
    fixture.service.advanceClock(11_000);
    expectStatus(await ada.postAction(id, 'resume'), 200);
    expect(expectStatus(await ada.postAction(id, 'replay', { since }), 202).count).toBe(0);
    await waitFor(() => expect(receiver.received).toHaveLength(200), 60_000);
    await receiver.stop();
  });

  it('lets no event that keeps failing delay the others', async () => {
    const receiver = await WebhookReceiver.start((request, response) => {
      response.writeHead(request.payload.data.seq % 3 === 0 ? 500 : 204).end();
    });
    const id = await createPausedWebhook(receiver.url);
    await append(3);
    await waitForPending(id, 300);
    expectStatus(await ada.postAction(id, 'resume'), 200);
    const seqs = () => new Set(receiver.received.map(({ payload }) => payload.data.seq)).size;
    await waitFor(() => expect(seqs()).toBe(300), 60_000);
    await receiver.stop();
  });

  it('disables the webhook beyond 10,000 pending deliveries, and tells its owner', async () => {
    const receiver = await WebhookReceiver.start();
    await ada.createWebhook(receiver.url, ['webhook.disabled']);
    const id = await createPausedWebhook(DEAD_URL);
    const late = await createPausedWebhook(DEAD_URL);
    await query(`UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing' WHERE id = $1`, [late]);
    await append(MAX_PENDING / BATCH);
    await waitForPending(id, MAX_PENDING);
    expect((await ada.getWebhook(id)).state).toBe('paused');
    await append(1);
    await waitFor(
      async () =>
        expect(await ada.getWebhook(id)).toMatchObject({ state: 'disabled', disabledReason: 'too_many_pending' }),
      30_000,
    );
    await append(1);
    const { rows, waiting, counted } = await readCounts(id);
    expect([rows + waiting, counted]).toEqual([MAX_PENDING, waiting]);
    const [event] = (await waitFor(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    })) as any[];
    expect(event.payload).toMatchObject({
      type: 'webhook.disabled',
      data: { id, state: 'disabled', disabledReason: 'too_many_pending' },
    });
    const { data } = expectStatus(await fixture.service.http.get('/v1/audit-events?limit=5', ada.device.token), 200);
    expect(data).toContainEqual(
      expect.objectContaining({
        act: 'webhook.disabled',
        actor: { kind: 'service', id: null, name: null },
        target: expect.objectContaining({ kind: 'webhook', id }),
      }),
    );
    await receiver.stop();
    // The log has all that waits, and what was missed must not wait as well.
    fixture.service.advanceClock(11_000);
    expect(expectStatus(await ada.postAction(id, 'replay', { since: 0 }), 202)).toEqual({ count: 0, hasMore: true });
    // A webhook that has missed all gets as many as a replay may add, also while its first ones become deliveries.
    await query(`UPDATE webhooks SET state = 'paused', disabled_reason = NULL WHERE id = $1`, [late]);
    expect(expectStatus(await ada.postAction(late, 'replay', { since: 0 }), 202)).toEqual({
      count: MAX_REPLAYED,
      hasMore: true,
    });
    await waitForPending(late, MAX_REPLAYED);
    expect((await ada.getWebhook(late)).state).toBe('paused');
  });

  it('gets what the webhook has missed while it was disabled, each event once, by a replay', async () => {
    const receiver = await WebhookReceiver.start();
    const { id } = await ada.createWebhook(receiver.url, ['message.created']);
    const since = fixture.service.now;
    const replay = async () => expectStatus(await ada.postAction(id, 'replay', { since }), 202).count;
    await append(1);
    await waitFor(() => expect(receiver.received).toHaveLength(BATCH), 20_000);
    await query(`UPDATE webhooks SET state = 'disabled', disabled_reason = 'too_many_pending' WHERE id = $1`, [id]);
    await append(2);
    await ada.triggerEvent();
    expect(await replay()).toBe(0);
    fixture.service.advanceClock(11_000);
    expectStatus(await ada.postAction(id, 'resume'), 200);
    expect(await replay()).toBe(2 * BATCH);
    await waitFor(() => expect(receiver.received).toHaveLength(3 * BATCH), 20_000);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3 * BATCH);
    expect(new Set(receiver.received.map(({ payload }) => payload.type))).toEqual(new Set(['message.created']));
    expect(await replay()).toBe(0);
    await receiver.stop();
  });

  it('gets what the webhook has missed behind 20,000 events that it has had, by a replay', async () => {
    const { id, record } = await ada.createWebhook(DEAD_URL, ['message.created']);
    await query(`UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing' WHERE id = $1`, [id]);
    await query(
      `WITH logged AS (
         INSERT INTO event_log (id, account_id, type, payload, logged_at)
         SELECT 'evt_' || lpad(n::text, 26, '0'), $2, 'message.created', '{}', to_timestamp($3::float8 / 1000)
           FROM generate_series(1, 20000) n RETURNING id, type, payload, logged_at)
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, state, created_at)
       SELECT replace(id, 'evt_', 'dlv_'), $1, id, type, payload, 'delivered', logged_at FROM logged`,
      [id, ada.device.accountId, record.createdAt],
    );
    await append(1);
    await query(`UPDATE webhooks SET state = 'paused', disabled_reason = NULL WHERE id = $1`, [id]);
    fixture.service.advanceClock(11_000);
    expect(expectStatus(await ada.postAction(id, 'replay', { since: 0 }), 202)).toEqual({
      count: BATCH,
      hasMore: false,
    });
  });

  it('gets no events by a replay that its creator may not see', async () => {
    const { token } = await ada.device.createToken(['webhooks:manage', 'machines:read']);
    const body = { url: DEAD_URL, events: ['*'] };
    const { data } = expectStatus(await fixture.service.http.post('/external/v1/webhooks', token, body), 201);
    await ada.triggerEvent();
    fixture.service.advanceClock(11_000);
    const replayed = await ada.postAction(data.id, 'replay', { since: data.createdAt });
    expect(expectStatus(replayed, 202)).toEqual({ count: 0, hasMore: false });
  });

  it('gets no event by a replay that says that the webhook itself was disabled', async () => {
    const receiver = await WebhookReceiver.start(respondWithStatus(410));
    const { id, record } = await ada.createWebhook(receiver.url, ['message.created', 'webhook.disabled']);
    const other = await ada.createWebhook(DEAD_URL, ['webhook.disabled']);
    await query(`UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing' WHERE id = $1`, [other.id]);
    await session.appendMessages('gone');
    await waitFor(async () => expect((await ada.getWebhook(id)).disabledReason).toBe('gone'));
    fixture.service.advanceClock(11_000);
    receiver.handler = acceptRequest;
    const replay = async (webhookId: string) => {
      expectStatus(await ada.postAction(webhookId, 'resume'), 200);
      const replayed = await ada.postAction(webhookId, 'replay', { since: record.createdAt });
      return expectStatus(replayed, 202).count;
    };
    expect(await replay(id)).toBe(1);
    await receiver.waitForRequests(2);
    expect(receiver.receivedTypes).toEqual(['message.created', 'message.created']);
    expect(await replay(other.id)).toBe(1);
    await receiver.stop();
  });

  it('is deleted after its account', async () => {
    const id = await createPausedWebhook(DEAD_URL);
    await append(3);
    await waitForPending(id, 300);
    const batchIds = await listBatchIds(id);
    expect(await countBatches(batchIds)).toBeGreaterThan(0);
    expectStatus(await fixture.service.http.delete('/v1/account', ada.device.token), 204);
    await waitForAccountCleanup(fixture.service);
    await cleanUpDeletedWebhooks(fixture.service);
    expect(await countBatches(batchIds)).toBe(0);
  });
});
