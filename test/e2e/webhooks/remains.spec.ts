import { query } from '../../support/database';
import { ok } from '../../support/device/foreign-device';
import { clearRemains, insertDeliveries } from '../../support/webhooks/rows';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const URL = 'http://127.0.0.1:9/';
/** More than one portion, of deliveries and of attempts. */
const COUNT = 1_200;

describe('what a deleted webhook leaves behind', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  beforeAll(async () => {
    scene = await WebhookScene.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(scene.service.http);
  });
  afterAll(() => scene?.stop());

  const left = async (webhookId: string) => {
    const [row] = await query<Record<string, number>>(
      scene.service,
      `SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = $1) AS deliveries,
              (SELECT count(*)::int FROM webhook_attempts WHERE webhook_id = $1) AS attempts,
              (SELECT count(*)::int FROM webhook_remains WHERE webhook_id = $1) AS remains`,
      [webhookId],
    );
    return row;
  };
  const clear = () => clearRemains(scene.service);
  /** Paused, so that nothing is under way; with a log of deliveries and attempts. */
  const withLog = async () => {
    const { id } = await ada.create(URL, ['session.created']);
    ok(await ada.act(id, 'pause'), 200);
    const database = { query: (sql: string, values?: unknown[]) => query(scene.service, sql, values) };
    await insertDeliveries(database, id, COUNT, { state: 'failed' });
    await query(
      scene.service,
      `INSERT INTO webhook_attempts (webhook_id, delivery_id, attempt, at, duration_ms)
       SELECT webhook_id, id, 1, now(), 0 FROM webhook_deliveries WHERE webhook_id = $1`,
      [id],
    );
    return id;
  };

  it('is not in the way of its deletion, and is cleared away behind it', async () => {
    const [id, other] = [await withLog(), await withLog()];
    ok(await scene.service.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
    expect(await left(id)).toEqual({ deliveries: COUNT, attempts: COUNT, remains: 1 });
    expect((await ada.act(id, 'resume')).status).toBe(404);

    await clear();
    expect(await left(id)).toEqual({ deliveries: 0, attempts: 0, remains: 0 });
    expect(await left(other)).toEqual({ deliveries: COUNT, attempts: COUNT, remains: 0 });
  });

  it('goes too where its account went', async () => {
    const id = await withLog();
    ok(await scene.service.http.delete('/v1/account', ada.ada.token), 204);
    await clear();
    expect(await left(id)).toEqual({ deliveries: 0, attempts: 0, remains: 0 });
  });

  it('is cleared away by several at once', async () => {
    const id = await withLog();
    ok(await scene.service.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
    await Promise.all([clear(), clear(), clear()]);
    await clear();
    expect(await left(id)).toEqual({ deliveries: 0, attempts: 0, remains: 0 });
  });
});
