import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber, type CreatedWebhook } from '../../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';

describeWithServices('the admin commands for deliveries', () => {
  let backend: Backend;
  let service: Service;
  let webhookReceiver: WebhookReceiver;
  let ada: Subscriber;
  let webhook: CreatedWebhook;

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start(LOOPBACK_WEBHOOKS_ENV, backend);
    webhookReceiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await service?.stop();
  });
  beforeEach(async () => {
    webhookReceiver.received.length = 0;
    ada = await Subscriber.signUp(service.http);
    webhook = await ada.createWebhook(webhookReceiver.url);
    expectStatus(await ada.postAction(webhook.id, 'pause'), 200);
  });

  const run = (...args: string[]) => runAdminJson(backend.env, ...args);
  const insertDeliveries = (count: number, state: string, webhookId = webhook.id) =>
    insertWebhookDeliveries({ query: (sql, parameters) => queryDatabase(service, sql, parameters) }, webhookId, count, {
      state,
    });
  /** Creates deliveries of real events, which fail without an attempt. */
  const failEvents = async (count: number) => {
    for (let n = 0; n < count; n++) await ada.triggerEvent();
    await waitFor(async () => expect(await ada.listDeliveries(webhook.id)).toHaveLength(count));
    await queryDatabase(
      service,
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, finished_at = now()
        WHERE webhook_id = $1`,
      [webhook.id],
    );
  };
  const getLatestAct = async () =>
    expectStatus(await service.http.get('/v1/audit-events?limit=1', ada.device.token), 200).data[0];

  it('lists deliveries of a webhook or an account in pages, by state and event', async () => {
    const second = await ada.createWebhook(webhookReceiver.url);
    await insertDeliveries(3, 'failed');
    await insertDeliveries(2, 'delivered', second.id);
    const all = await run('deliveries', '--account', ada.device.username);
    expect(all.data).toHaveLength(5);
    expect(all.next).toBeNull();
    expect(all.data.map(({ createdAt }: any) => createdAt)).toEqual(
      all.data.map(({ createdAt }: any) => createdAt).sort((a: number, b: number) => b - a),
    );
    const failed = await run('deliveries', '--webhook', webhook.id, '--state=failed', '--limit=2');
    expect(failed.data).toMatchObject([{ webhookId: webhook.id, state: 'failed' }, { state: 'failed' }]);
    const rest = await run('deliveries', '--webhook', webhook.id, '--limit=2', `--before=${failed.next}`);
    expect([rest.data.length, rest.next]).toEqual([1, null]);
    expect(failed.data.map(({ id }: any) => id)).not.toContain(rest.data[0].id);
    const { stderr } = await runAdminProgram(backend.env, 'deliveries', '--webhook', webhook.id, '--before=nonsense');
    expect(stderr).toBe('error: There is no delivery "nonsense".\n');
    const { id, eventId } = rest.data[0];
    expect(await run('deliveries', '--account', ada.device.accountId, '--event', eventId)).toMatchObject({
      data: [{ id, eventId, type: 'session.created', attempts: 0, nextAttemptAt: null }],
    });
  });

  it('replays failed deliveries, which a running instance sends', async () => {
    await failEvents(3);
    expectStatus(await ada.postAction(webhook.id, 'resume'), 200);
    expect(await run('requeue-deliveries', '--webhook', webhook.id, '--dry-run')).toEqual({ requeued: 0, matching: 3 });
    const since = new Date(service.now + 60_000).toISOString();
    expect(await run('requeue-deliveries', '--webhook', webhook.id, '--since', since)).toEqual({
      requeued: 0,
      matching: 0,
    });
    const countSince = (time: number) =>
      run('requeue-deliveries', '--webhook', webhook.id, '--since', String(time), '--dry-run');
    expect(await countSince(service.now + 60_000)).toEqual({ requeued: 0, matching: 0 });
    expect(await countSince(service.now - 3_600_000)).toEqual({ requeued: 0, matching: 3 });
    expect(webhookReceiver.received).toEqual([]);
    const args = ['requeue-deliveries', '--account', ada.device.username, '--reason=outage at the receiver'];
    expect(await run(...args)).toEqual({ requeued: 3, matching: 3 });
    await webhookReceiver.waitForRequests(3);
    expect(await getLatestAct()).toMatchObject({
      act: 'webhook.deliveries_replayed',
      target: { kind: 'webhook', id: webhook.id },
      actor: { kind: 'operator' },
      reason: 'outage at the receiver',
    });
    expect(await run('requeue-deliveries', '--webhook', webhook.id)).toEqual({ requeued: 0, matching: 0 });
    const [delivery] = await ada.listDeliveries(webhook.id, '&state=delivered');
    const dryRun = await run('requeue-deliveries', '--delivery', delivery.id, '--dry-run');
    expect(dryRun).toEqual({ requeued: 0, matching: 1, created: null });
    expect(await ada.listDeliveries(webhook.id, `&eventId=${delivery.eventId}`)).toHaveLength(2);
    const { created } = await run('requeue-deliveries', '--delivery', delivery.id);
    await webhookReceiver.waitForRequests(4);
    await waitFor(async () => expect((await ada.getDelivery(webhook.id, created)).state).toBe('delivered'));
  });

  it('replays nothing that it cannot record', async () => {
    await failEvents(2);
    const constraint = 'refuses_replays';
    await queryDatabase(
      service,
      `ALTER TABLE audit_events ADD CONSTRAINT ${constraint} CHECK (act <> 'webhook.deliveries_replayed') NOT VALID`,
    );
    const { code } = await runAdminProgram(backend.env, 'requeue-deliveries', '--webhook', webhook.id);
    await queryDatabase(service, `ALTER TABLE audit_events DROP CONSTRAINT ${constraint}`);
    expect(code).toBe(1);
    expect(await ada.listDeliveries(webhook.id)).toHaveLength(2);
  });

  it('cancels pending deliveries, of one event or all, so that none is sent later', async () => {
    await insertDeliveries(1_200, 'pending');
    const newest = await run('deliveries', '--webhook', webhook.id);
    expect([newest.data.length, newest.next]).toEqual([50, newest.data[49].id]);
    const [{ eventId }] = await ada.listDeliveries(webhook.id);
    const args = ['drop-deliveries', '--webhook', webhook.id];
    expect(await run(...args, '--event', eventId, '--dry-run')).toEqual({ dropped: 0, matching: 1 });
    expect(await run(...args, '--event', eventId)).toEqual({ dropped: 1, matching: 1 });
    expect(await run(...args, '--reason=agreed')).toEqual({ dropped: 1_199, matching: 1_199 });
    expect(await getLatestAct()).toMatchObject({ act: 'webhook.deliveries_cancelled', reason: 'agreed' });
    expectStatus(await ada.postAction(webhook.id, 'resume'), 200);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1);
    expect(webhookReceiver.received).toHaveLength(1);
    await waitFor(async () => expect(await ada.listDeliveries(webhook.id, '&state=pending')).toEqual([]));
    const [{ state, nextAttemptAt, finishedAt }] = await ada.listDeliveries(webhook.id, '&state=cancelled');
    expect({ state, nextAttemptAt, finishedAt }).toEqual({
      state: 'cancelled',
      nextAttemptAt: null,
      finishedAt: expect.any(Number),
    });
  });

  it('counts an event that waits in the backlog among those that it cancels', async () => {
    // A webhook without a successful attempt has 20 due deliveries. Further events wait in its backlog.
    for (let n = 0; n < 21; n++) await ada.triggerEvent();
    const listWaiting = () =>
      queryDatabase<{ eventId: string }>(
        service,
        `SELECT b.event_ids[position + 1] AS "eventId"
           FROM webhook_backlog_entries e JOIN webhook_backlog_batches b ON b.id = e.batch_id,
                unnest(e.positions) AS position
          WHERE e.webhook_id = $1`,
        [webhook.id],
      );
    await waitFor(async () => expect(await listWaiting()).toHaveLength(1));
    const [waiting] = await listWaiting();
    const args = ['drop-deliveries', '--webhook', webhook.id];
    expect(await run(...args, '--dry-run')).toEqual({ dropped: 0, matching: 21 });
    expect(await run(...args, '--event', waiting!.eventId, '--dry-run')).toEqual({ dropped: 0, matching: 1 });
    expect(await run(...args, '--event', waiting!.eventId)).toEqual({ dropped: 1, matching: 1 });
    expect(await run(...args)).toEqual({ dropped: 20, matching: 20 });
  });

  it.each([
    [['deliveries'], 1, 'Give one of --webhook and --account'],
    [['deliveries', '--webhook=a', '--account=b'], 1, 'Give one of --webhook and --account'],
    [['deliveries', '--webhook=nonsense'], 1, 'There is no webhook "nonsense".'],
    [['requeue-deliveries', '--delivery=nonsense'], 1, 'There is no delivery "nonsense".'],
    [['drop-deliveries', '--account=nobody'], 1, 'Account "nobody" doesn\'t exist.'],
    [['deliveries', '--webhook=a', '--state=lost'], 2, 'Allowed choices are pending, delivered, failed, cancelled.'],
    [['requeue-deliveries', '--webhook=a', '--since=yesterday'], 2, 'Use a time such as'],
    [['requeue-deliveries', '--webhook=a', '--since=1'], 2, 'Use a time such as'],
    [['requeue-deliveries', '--delivery=a', '--since=2026-11-24'], 2, 'cannot be used with option'],
  ])('ends %j with status %i', async (args, status, text) => {
    const { code, stdout, stderr } = await runAdminProgram(backend.env, ...args);
    expect(stderr).toContain(text);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
  });
});
