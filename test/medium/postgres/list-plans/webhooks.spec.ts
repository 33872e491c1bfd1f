import { MAX_SUMMARIZED_ATTEMPTS } from '../../../../src/modules/webhooks';
import { ConsoleClient } from '../../../support/console-client';
import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';
import { insertWebhookDeliveries } from '../../../support/webhooks/webhook-rows';

describeWithPostgres('the delivery log of a webhook with 100,000 deliveries', () => {
  let plans: ListPlanFixture;
  let path: string;
  let webhookId: string;
  let otherId: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { token } = await plans.ada.createToken(['webhooks:manage']);
    const create = async () => {
      const body = { url: 'https://93.184.216.34/', events: ['*'] };
      const httpResponse = await plans.service.http.post('/external/v1/webhooks', token, body);
      await plans.service.http.post(`/v1/webhooks/${httpResponse.body.data.id}/pause`, plans.ada.token, {});
      return httpResponse.body.data.id as string;
    };
    webhookId = await create();
    path = `/v1/webhooks/${webhookId}/deliveries`;
    await insertWebhookDeliveries(plans.testDatabase, webhookId, 90_000, { state: 'delivered' });
    await insertWebhookDeliveries(plans.testDatabase, webhookId, 9_950, {
      state: 'pending',
      type: 'token.created',
    });
    await insertWebhookDeliveries(plans.testDatabase, webhookId, 50, {
      state: 'failed',
      type: 'session.ended',
    });
    otherId = await create();
    await insertWebhookDeliveries(plans.testDatabase, otherId, 50_000, { state: 'failed' });
    await plans.testDatabase.query('ANALYZE');
  }, 120_000);
  afterAll(() => plans?.stop());

  it.each([
    '',
    '?order=asc',
    '?state=failed',
    '?state=pending',
    '?type=session.created',
    '?state=cancelled',
    `?eventId=evt_${'0'.repeat(26)}`,
    `?eventId=evt_${'0'.repeat(26)}&state=delivered&since=1`,
  ])('is read by an index: %s', async (query) => {
    expectCheapPlan(await plans.explainList(path + query, 'webhook_deliveries'));
  });

  it.each([`?since=${Date.now() - 20_000_000}`, `?until=${Date.now() - 20_000_000}`])(
    'is read by an index for a time range: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(path + query, 'webhook_deliveries'));
    },
  );

  it('is summed up from the newest attempts, found by an index', async () => {
    const insertAttempts = (id: string, count: number) =>
      plans.testDatabase.query(
        `INSERT INTO webhook_attempts (webhook_id, delivery_id, attempt, at, status, duration_ms)
         SELECT $1, 'dlv_' || lpad(to_hex(i), 26, '0'), 1, now(), 204, 100 FROM generate_series(1, $2::integer) i`,
        [id, count],
      );
    await insertAttempts(webhookId, 120_000);
    await insertAttempts(otherId, 120_000);
    await plans.testDatabase.query('ANALYZE webhook_attempts');
    const visitor = await ConsoleClient.signIn(plans.service.url, plans.ada);
    const page = `/console/webhooks/${webhookId}?range=week`;
    const { types, rows } = await plans.explainStatement(() => visitor.get(page), 'webhook_attempts');
    expect(types).not.toContain('Seq Scan');
    expect(rows).toBe(MAX_SUMMARIZED_ATTEMPTS);
    const { html } = await visitor.get(page);
    expect(html).toContain('These are the newest 50,000 attempts of the last 7 days.');
    expect(html).toContain('100 % succeeded: 50,000 attempts, 0 failed.');
  });

  it('costs no more on page 1,000', async () => {
    const first = await plans.explainList(path, 'webhook_deliveries');
    const key = `SELECT created_at, id FROM webhook_deliveries WHERE webhook_id = '${webhookId}'
      ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.createCursorOfPage1000(path, key);
    expectNoCostlierPlan(await plans.explainList(`${path}?cursor=${cursor}`, 'webhook_deliveries'), first);
  });
});
