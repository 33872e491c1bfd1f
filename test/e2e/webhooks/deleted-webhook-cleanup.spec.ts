import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { cleanUpDeletedWebhooks, insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const URL = 'http://127.0.0.1:9/';
/** More than one batch of deliveries and of attempts. */
const ROW_COUNT = 1_200;

describe('the log of a deleted webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
  });
  afterAll(() => fixture?.stop());

  const countRows = async (webhookId: string) => {
    const [row] = await queryDatabase<Record<string, number>>(
      fixture.service,
      `SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = $1) AS deliveries,
              (SELECT count(*)::int FROM webhook_attempts WHERE webhook_id = $1) AS attempts,
              (SELECT count(*)::int FROM webhook_cleanup_queue WHERE webhook_id = $1) AS queued`,
      [webhookId],
    );
    return row;
  };
  const cleanUp = () => cleanUpDeletedWebhooks(fixture.service);
  /** Creates a webhook with a log of deliveries and attempts. It is paused, so that no attempt is in flight. */
  const createWebhookWithLog = async () => {
    const { id } = await ada.createWebhook(URL, ['session.created']);
    expectStatus(await ada.postAction(id, 'pause'), 200);
    const database = {
      query: (sql: string, values?: unknown[]) => queryDatabase(fixture.service, sql, values),
    };
    await insertWebhookDeliveries(database, id, ROW_COUNT, { state: 'failed' });
    await queryDatabase(
      fixture.service,
      `INSERT INTO webhook_attempts (webhook_id, delivery_id, attempt, at, duration_ms)
       SELECT webhook_id, id, 1, now(), 0 FROM webhook_deliveries WHERE webhook_id = $1`,
      [id],
    );
    return id;
  };

  it('doesn’t delay the deletion, and is deleted later', async () => {
    const [id, other] = [await createWebhookWithLog(), await createWebhookWithLog()];
    expectStatus(await fixture.service.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
    expect(await countRows(id)).toEqual({ deliveries: ROW_COUNT, attempts: ROW_COUNT, queued: 1 });
    expect((await ada.postAction(id, 'resume')).status).toBe(404);

    await cleanUp();
    expect(await countRows(id)).toEqual({ deliveries: 0, attempts: 0, queued: 0 });
    expect(await countRows(other)).toEqual({ deliveries: ROW_COUNT, attempts: ROW_COUNT, queued: 0 });
  });

  it('is deleted after its account', async () => {
    const id = await createWebhookWithLog();
    expectStatus(await fixture.service.http.delete('/v1/account', ada.device.token), 204);
    await waitForAccountCleanup(fixture.service);
    await cleanUp();
    expect(await countRows(id)).toEqual({ deliveries: 0, attempts: 0, queued: 0 });
  });

  it('is deleted by several cleanups at once', async () => {
    const id = await createWebhookWithLog();
    expectStatus(await fixture.service.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
    await Promise.all([cleanUp(), cleanUp(), cleanUp()]);
    await cleanUp();
    expect(await countRows(id)).toEqual({ deliveries: 0, attempts: 0, queued: 0 });
  });
});
