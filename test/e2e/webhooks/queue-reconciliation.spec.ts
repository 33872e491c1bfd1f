import { QueueReconciler } from '../../../src/modules/webhooks/dispatch/queue-reconciler';
import { EndpointWorkerScheduler } from '../../../src/modules/webhooks/dispatch/endpoint-worker-scheduler';
import { queryDatabase } from '../../support/database';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { WebhookFixture } from '../../support/webhooks/webhook-fixture';

describe('the reconciliation of endpoint queues', () => {
  let fixture: WebhookFixture;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
    webhookReceiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await fixture?.stop();
  });

  it('finds deliveries again whose queue has lost its due time', async () => {
    const ada = fixture.subscriber;
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1);
    const execute = (sql: string) => queryDatabase(fixture.service, sql, [id]);
    await execute(`UPDATE webhooks SET state = 'paused' WHERE id = $1`);
    await ada.triggerEvent();
    await waitFor(async () => expect(await ada.listDeliveries(id, '&state=pending')).toHaveLength(1), 20_000);
    await execute(`UPDATE webhook_endpoint_queues SET due_at = NULL, version = version + 1 WHERE webhook_id = $1`);
    await execute(`UPDATE webhooks SET state = 'active' WHERE id = $1`);
    const reconciler = fixture.service.app.get(QueueReconciler, { strict: false });
    expect(await reconciler.reconcileBatch()).toBe(false);
    fixture.service.app.get(EndpointWorkerScheduler, { strict: false }).triggerWorker(id);
    await webhookReceiver.waitForRequests(2);
  });
});
