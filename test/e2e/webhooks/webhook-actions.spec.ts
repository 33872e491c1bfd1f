import { DAY, HOUR } from '../../../src/common/clock';
import { RetentionService } from '../../../src/core/database';
import { HostResolver } from '../../../src/modules/webhook-sending/host-resolver';
import { queryDatabase } from '../../support/database';
import { waitFor } from '../../support/wait-for';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { expectStatus } from '../../support/device/foreign-device';
import {
  acceptRequest,
  WebhookReceiver,
  respondWithStatus,
  verifySignature,
  type ReceivedRequest,
} from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

/** Verifies with the clock at the send time, since the library rejects timestamps of the service's advanced clock. */
function verifyAtSendTime(secret: string, receivedRequest: ReceivedRequest): void {
  const now = Date.now;
  Date.now = () => Number(receivedRequest.headers['webhook-timestamp']) * 1_000;
  try {
    verifySignature(secret, receivedRequest);
  } finally {
    Date.now = now;
  }
}

describe('an account device', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(fixture.service.http);
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const readStates = async (id: string) => (await ada.listDeliveries(id)).map(({ state }) => state as string);
  const waitForStates = (id: string, expected: string[]) =>
    waitFor(async () => expect(await readStates(id)).toEqual(expected), 10_000);

  it('pauses and resumes a webhook without losing deliveries', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const paused = expectStatus(await ada.postAction(id, 'pause'), 200).data;
    expect(paused).toMatchObject({ id, state: 'paused' });
    for (let n = 0; n < 3; n++) await ada.triggerEvent();
    await waitForStates(id, ['pending', 'pending', 'pending']);
    expect(webhookReceiver.received).toEqual([]);
    expect(expectStatus(await ada.postAction(id, 'pause'), 200).data).toEqual(paused);
    expect(expectStatus(await ada.postAction(id, 'resume'), 200).data.state).toBe('active');
    await webhookReceiver.waitForRequests(3);
    await waitForStates(id, ['delivered', 'delivered', 'delivered']);
  });

  it('forgets the failures of a paused webhook when it is resumed', async () => {
    webhookReceiver.handler = respondWithStatus(500);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const failed = Array.from({ length: 10 }, () => 'failed');
    for (let n = 0; n < 10; n++) await ada.triggerEvent();
    await waitForStates(id, failed);
    // The circuit breaker is open, and lets the next attempt through a minute later.
    await ada.triggerEvent();
    await waitForStates(id, ['pending', ...failed]);
    expectStatus(await ada.postAction(id, 'pause'), 200);
    const resumed = expectStatus(await ada.postAction(id, 'resume'), 200).data;
    expect(resumed).toMatchObject({ state: 'active', failingSince: null });
    await waitForStates(id, ['failed', ...failed]);
    // If the earlier failures still counted, one more would have opened it again.
    await ada.triggerEvent();
    await waitForStates(id, ['failed', 'failed', ...failed]);
  });

  it('rotates the secret, and both secrets sign during the overlap', async () => {
    const { id, secret: old } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const rotated = await ada.postAction(id, 'rotate-secret', { overlapSeconds: 3_600 });
    const { signingSecret, data } = expectStatus(rotated, 200);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect(data.id).toBe(id);
    expect(signingSecret).not.toBe(old);
    await ada.triggerEvent();
    const [during] = await webhookReceiver.waitForRequests(1);
    expect(during!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
    verifySignature(old, during!);
    verifySignature(signingSecret, during!);

    fixture.service.advanceClock(HOUR);
    await ada.triggerEvent();
    const after = (await webhookReceiver.waitForRequests(2))[1]!;
    expect(after.headers['webhook-signature']!.split(' ')).toHaveLength(1);
    verifyAtSendTime(signingSecret, after);
    expect(() => verifyAtSendTime(old, after)).toThrow('No matching signature');
    expectStatus(await ada.postAction(id, 'rotate-secret', { overlapSeconds: 86_400 }), 200);
    for (const overlapSeconds of [86_401, -1])
      expect((await ada.postAction(id, 'rotate-secret', { overlapSeconds })).status).toBe(400);
  });

  it('rotates the secret, and the old one signs nothing more unless an overlap is asked for', async () => {
    const { id, secret: old } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const { signingSecret } = expectStatus(await ada.postAction(id, 'rotate-secret'), 200);
    await ada.triggerEvent();
    const [received] = await webhookReceiver.waitForRequests(1);
    verifyAtSendTime(signingSecret, received!);
    expect(() => verifyAtSendTime(old, received!)).toThrow('No matching signature');
  });

  it('sends a test event, whatever the webhook subscribes to', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['machine.online']);
    const httpResponse = await ada.postAction(id, 'test');
    expect(httpResponse.status).toBe(202);
    const [received] = await webhookReceiver.waitForRequests(1);
    expect(received!.payload).toMatchObject({ type: 'webhook.test', data: { id, object: 'webhook' } });
    expect(await ada.listDeliveries(id, '&type=webhook.test')).toHaveLength(1);
    expect(await ada.listDeliveries(id, '&type=machine.online')).toHaveLength(0);
  });

  it('sends no test event to a URL that the operator does not allow any more', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await queryDatabase(fixture.service, "UPDATE webhooks SET url = 'http://10.0.0.1/' WHERE id = $1", [id]);
    const refused = await ada.postAction(id, 'test');
    expect(expectViolationPaths(refused)).toEqual(['/url']);
    expect(await ada.listDeliveries(id)).toEqual([]);
  });

  it('gets 404 for a test event if the webhook is deleted while its host is resolved', async () => {
    const hostResolver = fixture.service.app.get(HostResolver, { strict: false });
    const resolve = jest.spyOn(hostResolver, 'resolveHost').mockResolvedValue(['127.0.0.1']);
    const { id } = await ada.createWebhook('http://receiver.example/', ['session.created']);
    resolve.mockImplementation(async () => {
      expectStatus(await fixture.service.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
      return ['127.0.0.1'];
    });
    const answer = await ada.postAction(id, 'test');
    resolve.mockRestore();
    expectProblem(answer, 404, 'not_found');
  });

  it('replays a delivery as a new delivery of the same event, any number of times', async () => {
    const { id, secret } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForStates(id, ['delivered']);
    const [first] = await ada.listDeliveries(id);
    const replay = () => ada.postAction(id, `deliveries/${first.id}/replay`);
    const second = expectStatus(await replay(), 201).data;
    expect(second).toMatchObject({ eventId: first.eventId, type: first.type, state: 'pending', attempts: 0 });
    expect(second.id).not.toBe(first.id);
    expectStatus(await replay(), 201);
    const received = await webhookReceiver.waitForRequests(3);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first.eventId]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const each of received) verifyAtSendTime(secret, each);
    await waitForStates(id, ['delivered', 'delivered', 'delivered']);
    expect((await ada.postAction(id, 'deliveries/dlv_unknown/replay')).status).toBe(404);
  });

  it('shows and replays a delivery under its own webhook only', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const { id: otherId } = await ada.createWebhook(webhookReceiver.url, ['session.ended']);
    await ada.triggerEvent();
    await waitForStates(id, ['delivered']);
    const [delivery] = await ada.listDeliveries(id);
    const path = `deliveries/${delivery.id}`;
    const shown = await fixture.service.http.get(`/v1/webhooks/${otherId}/${path}`, ada.device.token);
    const replayed = await ada.postAction(otherId, `${path}/replay`);
    expect([shown, replayed].map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(await readStates(id)).toEqual(['delivered']);
    expect(await readStates(otherId)).toEqual([]);
  });

  it('replays and shows no delivery of another account', async () => {
    webhookReceiver.handler = respondWithStatus(500);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForStates(id, ['failed']);
    const [delivery] = await ada.listDeliveries(id);
    const eve = await Subscriber.signUp(fixture.service.http);
    const answers = [
      await eve.postAction(id, 'replay', { since: 0 }),
      await eve.postAction(id, `deliveries/${delivery.id}/replay`),
      await fixture.service.http.get(`/v1/webhooks/${id}/deliveries/${delivery.id}`, eve.device.token),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await readStates(id)).toEqual(['failed']);
  });

  it('replays events that failed since a time, and no others', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    webhookReceiver.handler = respondWithStatus(500);
    await ada.triggerEvent();
    await waitForStates(id, ['failed']);
    fixture.service.advanceClock(1_000);
    const [{ createdAt: earlier }] = await ada.listDeliveries(id);
    const since = earlier + 1;
    await ada.triggerEvent();
    await ada.triggerEvent();
    await waitForStates(id, ['failed', 'failed', 'failed']);
    webhookReceiver.handler = acceptRequest;
    await ada.triggerEvent();
    await waitForStates(id, ['delivered', 'failed', 'failed', 'failed']);

    const httpResponse = await ada.postAction(id, 'replay', { since });
    expect(expectStatus(httpResponse, 202)).toEqual({ count: 2, hasMore: false });
    await waitFor(async () => {
      expect((await readStates(id)).filter((state) => state === 'delivered')).toHaveLength(3);
    });
    expect(expectStatus(await ada.postAction(id, 'replay', { since }), 202).count).toBe(0);
    expect(expectStatus(await ada.postAction(id, 'replay', { since: earlier }), 202).count).toBe(1);
    expect((await ada.postAction(id, 'replay', {})).status).toBe(400);
    expect((await ada.postAction(id, 'replay', { since: -1 })).status).toBe(400);
  });

  it('replays no events of before the creation of the webhook', async () => {
    await ada.triggerEvent();
    fixture.service.advanceClock(1_000);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    // Events younger than ten seconds may still be on their way to a delivery.
    fixture.service.advanceClock(11_000);
    expect(expectStatus(await ada.postAction(id, 'replay', { since: 0 }), 202).count).toBe(0);
    expect(await readStates(id)).toEqual([]);
  });

  it('replay failed events once, even for concurrent requests', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    webhookReceiver.handler = respondWithStatus(500);
    for (let n = 0; n < 3; n++) await ada.triggerEvent();
    await waitForStates(id, ['failed', 'failed', 'failed']);
    // An event that fails again may be replayed again.
    webhookReceiver.handler = acceptRequest;
    const answers = await Promise.all(Array.from({ length: 4 }, () => ada.postAction(id, 'replay', { since: 0 })));
    expect(answers.map((answer) => expectStatus(answer, 202).count).sort()).toEqual([0, 0, 0, 3]);
    await waitForStates(id, ['delivered', 'delivered', 'delivered', 'failed', 'failed', 'failed']);
    expect(webhookReceiver.received).toHaveLength(6);
  });

  it('list the log in pages with filters', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created', 'session.ended']);
    for (let n = 0; n < 5; n++) await ada.triggerEvent();
    await waitForStates(
      id,
      Array.from({ length: 5 }, () => 'delivered'),
    );
    const path = `/v1/webhooks/${id}/deliveries`;
    const get = async (query: string) =>
      expectStatus(await fixture.service.http.get(`${path}?${query}`, ada.device.token), 200);
    const first = await get('limit=3&state=delivered');
    const rest = await get(`cursor=${first.nextCursor}`);
    const all = [...first.data, ...rest.data];
    expect(new Set(all.map(({ id: each }: any) => each)).size).toBe(5);
    expect(rest.nextCursor).toBeNull();
    expect((await get('type=session.ended')).data).toEqual([]);
    expect((await get('type=session.created')).data).toEqual(all);
    expect((await get(`eventId=${all[2].eventId}`)).data).toEqual([all[2]]);
    expect((await get(`until=${all[4].createdAt}`)).data).toEqual([]);
    expect((await get(`since=${all[0].createdAt + 1}`)).data).toEqual([]);
    expect((await get(`since=${all[0].createdAt}`)).data).toContainEqual(all[0]);
    expect((await get(`until=${all[0].createdAt}`)).data).not.toContainEqual(all[0]);
    const refused = await fixture.service.http.get(`${path}?state=lost`, ada.device.token);
    expect(refused.status).toBe(400);
  });

  it('resumes a webhook that was disabled for its failures, and one more doesn’t disable it again', async () => {
    webhookReceiver.handler = respondWithStatus(500);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForStates(id, ['failed']);
    fixture.service.advanceClock(5 * DAY);
    await ada.device.signIn();
    await ada.triggerEvent();
    await waitForStates(id, ['failed', 'failed']);
    expect(await ada.getWebhook(id)).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    expectStatus(await ada.postAction(id, 'resume'), 200);
    const resumedAt = fixture.service.now;
    await ada.triggerEvent();
    await waitForStates(id, ['failed', 'failed', 'failed']);
    const { state, failingSince } = await ada.getWebhook(id);
    expect(state).toBe('active');
    expect(failingSince).toBeGreaterThanOrEqual(resumedAt);
  });

  it('reads the log of the last thirty days', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForStates(id, ['delivered']);
    const retentionService = fixture.service.app.get(RetentionService, { strict: false });
    fixture.service.advanceClock(29 * DAY);
    await ada.device.signIn();
    await retentionService.deleteExpiredRows();
    expect(await readStates(id)).toEqual(['delivered']);
    fixture.service.advanceClock(DAY + HOUR);
    await retentionService.deleteExpiredRows();
    expect(await readStates(id)).toEqual([]);
  });
});
