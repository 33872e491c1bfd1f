import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';
import { insertWebhookDeliveries } from '../../../support/webhooks/webhook-rows';

describeWithPostgres('the delivery log of a webhook with 100,000 deliveries', () => {
  let plans: ListPlanFixture;
  let path: string;
  let webhookId: string;

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
    await insertWebhookDeliveries(plans.testDatabase, await create(), 50_000, { state: 'failed' });
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

  it('costs no more on page 1,000', async () => {
    const first = await plans.explainList(path, 'webhook_deliveries');
    const key = `SELECT created_at, id FROM webhook_deliveries WHERE webhook_id = '${webhookId}'
      ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.createCursorOfPage1000(path, key);
    expectNoCostlierPlan(await plans.explainList(`${path}?cursor=${cursor}`, 'webhook_deliveries'), first);
  });
});
