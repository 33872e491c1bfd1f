import { queryDatabase } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';

/** Nothing listens there. */
const DEAD_URL = 'http://127.0.0.1:9/';
const MAX_REPLAYED = 8_000;

describe('a replay', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let id: string;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    ({ id } = await ada.createWebhook(DEAD_URL, ['message.created']));
    expectStatus(await ada.postAction(id, 'pause'), 200);
  });
  afterAll(() => fixture?.stop());

  const query = <Row>(sql: string, parameters: unknown[] = []) => queryDatabase<Row>(fixture.service, sql, parameters);
  const replay = async () => expectStatus(await ada.postAction(id, 'replay', { since: 0 }), 202);
  /** Waits until the webhook has this many pending deliveries and events in its backlog. */
  const waitForPending = (count: number) =>
    waitFor(async () => {
      const [row] = await query<{ count: number }>(
        `SELECT (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending')::int
                + (SELECT coalesce(sum(cardinality(positions)), 0) FROM webhook_backlog_entries
                    WHERE webhook_id = $1)::int AS count`,
        [id],
      );
      expect(row!.count).toBe(count);
    }, 20_000);
  const appendMessages = async (count: number) => {
    const session = await DeviceSession.createSession(ada.device);
    for (let n = 0; n < count; n += 100)
      await session.appendMessages(...Array.from({ length: 100 }, (_, index) => `${n}-${index}`));
  };

  it('of too many failed deliveries leaves room for new events, and says that there are more', async () => {
    await insertWebhookDeliveries({ query }, id, 10_000, { state: 'failed' });
    expect(await replay()).toEqual({ count: MAX_REPLAYED, hasMore: true });
    expect(await replay()).toEqual({ count: 0, hasMore: true });
    await appendMessages(100);
    await waitForPending(MAX_REPLAYED + 100);
    expect((await ada.getWebhook(id)).state).toBe('paused');
    await query(`UPDATE webhook_deliveries SET state = 'delivered' WHERE webhook_id = $1 AND state = 'pending'`, [id]);
    expect((await replay()).count).toBeGreaterThan(0);
  });

  it('adds each missed event once, also if several run at a time', async () => {
    await query(`UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing' WHERE id = $1`, [id]);
    await appendMessages(1_000);
    await query(`UPDATE webhooks SET state = 'paused', disabled_reason = NULL WHERE id = $1`, [id]);
    fixture.service.advanceClock(11_000);
    const replays: { count: number }[] = [];
    for (let n = 0; n < 4; n++) replays.push(...(await Promise.all([replay(), replay()])));
    expect(replays.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
    await waitForPending(1_000);
  });
});
