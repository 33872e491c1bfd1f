import { expectCheap, expectNoDearer, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';
import { insertDeliveries } from '../../../support/webhooks/rows';

describePostgres('the delivery log of a webhook with 100,000 deliveries', () => {
  let plans: ListPlans;
  let path: string;
  let webhookId: string;

  beforeAll(async () => {
    plans = await ListPlans.start();
    const { token } = await plans.ada.createToken(['webhooks:manage']);
    const create = async () => {
      const body = { url: 'https://93.184.216.34/', events: ['*'] };
      const answer = await plans.service.http.post('/external/v1/webhooks', token, body);
      await plans.service.http.post(`/v1/webhooks/${answer.body.data.id}/pause`, plans.ada.token, {});
      return answer.body.data.id as string;
    };
    webhookId = await create();
    path = `/v1/webhooks/${webhookId}/deliveries`;
    await insertDeliveries(plans.database, webhookId, 90_000, { state: 'delivered' });
    await insertDeliveries(plans.database, webhookId, 9_950, { state: 'pending', type: 'token.created' });
    await insertDeliveries(plans.database, webhookId, 50, { state: 'failed', type: 'session.ended' });
    await insertDeliveries(plans.database, await create(), 50_000, { state: 'failed' });
    await plans.database.query('ANALYZE');
  }, 120_000);
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?state=failed', '?state=pending', '?type=session.ended', '?state=cancelled'])(
    'is read by an index: %s',
    async (query) => {
      expectCheap(await plans.of(path + query, 'webhook_deliveries'));
    },
  );

  it.each([`?since=${Date.now() - 20_000_000}`, `?until=${Date.now() - 20_000_000}`])(
    'is read by an index in a span of time: %s',
    async (query) => {
      expectCheap(await plans.of(path + query, 'webhook_deliveries'));
    },
  );

  it('costs no more on page 1,000', async () => {
    const first = await plans.of(path, 'webhook_deliveries');
    const key = `SELECT created_at, id FROM webhook_deliveries WHERE webhook_id = '${webhookId}'
      ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.cursorOfPage1000(path, key);
    expectNoDearer(await plans.of(`${path}?cursor=${cursor}`, 'webhook_deliveries'), first);
  });
});
