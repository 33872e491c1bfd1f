import { EventEmitter, once } from 'node:events';
import { expectStatus } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';
import {
  acceptRequest,
  respondWithStatus,
  verifySignature,
  WebhookReceiver,
} from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

describe('an edited webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let oldReceiver: WebhookReceiver;
  let newReceiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    oldReceiver = await WebhookReceiver.start();
    newReceiver = await WebhookReceiver.start();
  });
  afterEach(() => Promise.all([oldReceiver.stop(), newReceiver.stop()]));
  afterAll(() => fixture?.stop());

  const patch = (id: string, json: object, token = ada.device.token) =>
    fixture.service.http.request('PATCH', `/v1/webhooks/${id}`, { token, json });
  const edit = async (id: string, changes: object) => expectStatus(await patch(id, changes), 200).data;
  const waitForStates = (id: string, expected: string[]) =>
    waitFor(async () => expect((await ada.listDeliveries(id)).map(({ state }) => state)).toEqual(expected), 20_000);

  it('keeps its secret and log, and sends pending deliveries to the new URL', async () => {
    const { id, secret, record } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForStates(id, ['delivered']);
    expectStatus(await ada.postAction(id, 'pause'), 200);
    await ada.triggerEvent();
    await waitForStates(id, ['pending', 'delivered']);
    const edited = await edit(id, { url: newReceiver.url, events: ['session.ended'], description: 'Reports' });
    const { url } = newReceiver;
    const expected = { ...record, url, events: ['session.ended'], description: 'Reports', state: 'paused' };
    expect(edited).toEqual({ ...expected, updatedAt: edited.updatedAt, ...deliveryFacts(edited) });
    expect(await ada.getWebhook(id)).toEqual(edited);
    expectStatus(await ada.postAction(id, 'resume'), 200);
    const [received] = await newReceiver.waitForRequests(1);
    verifySignature(secret, received!);
    await waitForStates(id, ['delivered', 'delivered']);
    // A type that the webhook no longer subscribes to.
    await ada.triggerEvent();
    const ended = await ada.triggerEvent();
    const path = `/v1/sessions/${ended.id}`;
    const { token } = ada.device;
    expectStatus(await fixture.service.http.request('PATCH', path, { token, json: { state: 'ended' } }), 200);
    await newReceiver.waitForRequests(2);
    expect(newReceiver.receivedTypes).toEqual(['session.created', 'session.ended']);
    expect(oldReceiver.received).toHaveLength(1);
  });

  it('changes only the given members, and loses its description with an empty one', async () => {
    const { id } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    expect(await edit(id, { description: 'A' })).toMatchObject({ url: oldReceiver.url, description: 'A' });
    expect(await edit(id, { events: ['*'] })).toMatchObject({ events: ['*'], description: 'A' });
    expect(await edit(id, { description: '' })).toMatchObject({ events: ['*'], description: null });
  });

  it('stays as it was after a refused edit', async () => {
    const { id, record } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    const changes: object[] = [
      { url: 'http://10.0.0.1/' },
      { url: 'nowhere' },
      { url: '' },
      { url: 1 },
      { url: newReceiver.url, events: [] },
      { url: newReceiver.url, events: ['session.burnt'] },
      { url: newReceiver.url, description: 'in\u200bvisible' },
      { url: newReceiver.url, state: 'paused' },
    ];
    for (const each of changes) expectProblem(await patch(id, each), 400, 'invalid_request');
    const denied = await patch(id, { url: newReceiver.url, events: ['invocation.ended'] });
    expect(expectProblem(denied, 403, 'insufficient_scope').required).toEqual(['machines:invoke']);
    const mallory = await Subscriber.signUp(fixture.service.http);
    const machine = await ada.device.pairDevice('machine');
    const url = newReceiver.url;
    expectProblem(await patch(id, { url }, mallory.device.token), 404, 'not_found');
    expectProblem(await patch(id, { url }, machine.token), 403, 'forbidden');
    expectProblem(await patch(id, { url }, ada.token), 401, 'invalid_token');
    expect(await ada.getWebhook(id)).toEqual(record);
  });

  it('of an app is limited to the app’s access, also while the app is disabled', async () => {
    const app = await ThirdPartyApp.register((await Subscriber.signUp(fixture.service.http)).device);
    const scope = 'webhooks:manage sessions:read';
    const { access_token } = await app.obtainTokens(fixture.service, ada.device, { scope });
    const body = { url: oldReceiver.url, events: ['session.created'] };
    const created = await fixture.service.http.post('/external/v1/webhooks', access_token, body);
    const { id } = expectStatus(created, 201).data;
    const expectLimits = async () => {
      expectProblem(await patch(id, { events: ['machine.online'] }), 403, 'insufficient_scope');
      expectProblem(await patch(id, { events: ['token.created'] }), 403, 'forbidden');
    };
    await expectLimits();
    expect(await edit(id, { events: ['session.ended'] })).toMatchObject({ events: ['session.ended'] });
    const disabling = `/v1/developer/apps/${app.clientId}/disable`;
    expectStatus(await fixture.service.http.post(disabling, app.owner.token, undefined), 200);
    await expectLimits();
    expect(await edit(id, { events: ['session.created'] })).toMatchObject({ events: ['session.created'] });
  });

  it('closes its circuit breaker with a new URL', async () => {
    oldReceiver.handler = respondWithStatus(500);
    const { id } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    for (let n = 0; n < 10; n++) await ada.triggerEvent();
    const failed = Array.from({ length: 10 }, () => 'failed');
    await waitForStates(id, failed);
    await ada.triggerEvent();
    await waitForStates(id, ['pending', ...failed]);
    expect((await ada.getWebhook(id)).failingSince).toEqual(expect.any(Number));
    expect(await edit(id, { url: newReceiver.url })).toMatchObject({ failingSince: null, state: 'active' });
    await waitForStates(id, ['delivered', ...failed]);
    expect(newReceiver.received).toHaveLength(1);
  });

  it('doesn’t count attempts in flight at the old URL for the circuit breaker of the new one', async () => {
    const release = new EventEmitter();
    // One half responds while the webhook is edited, the other one after the edit.
    oldReceiver.handler = (_, response) => {
      const moment = oldReceiver.received.length % 2 === 0 ? 'during' : 'after';
      void once(release, moment).then(() => response.writeHead(500).end());
    };
    const { id } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    // As many failures as open the circuit breaker.
    for (let n = 0; n < 10; n++) await ada.triggerEvent();
    await oldReceiver.waitForRequests(10);
    const edited = edit(id, { url: newReceiver.url });
    release.emit('during');
    await edited;
    release.emit('after');
    const failed = Array.from({ length: 10 }, () => 'failed');
    await waitForStates(id, failed);
    expect(await ada.getWebhook(id)).toMatchObject({ failingSince: null, state: 'active' });
    await ada.triggerEvent();
    await waitForStates(id, ['delivered', ...failed]);
  });

  it('is not disabled when the old URL responds with 410 to an attempt in flight', async () => {
    const release = new EventEmitter();
    oldReceiver.handler = (_, response) => void once(release, 'go').then(() => response.writeHead(410).end());
    const { id } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await oldReceiver.waitForRequests(1);
    await edit(id, { url: newReceiver.url });
    release.emit('go');
    await waitForStates(id, ['failed']);
    expect(await ada.getWebhook(id)).toMatchObject({ state: 'active', disabledReason: null });
    await ada.triggerEvent();
    await waitForStates(id, ['delivered', 'failed']);
  });

  it('loses no event while it is edited concurrently with deliveries', async () => {
    oldReceiver.handler = acceptRequest;
    const { id } = await ada.createWebhook(oldReceiver.url, ['session.created']);
    const urls = [oldReceiver.url, newReceiver.url];
    const count = 40;
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, (_, n) => patch(id, { url: urls[n % 2], description: `Edit ${n}` }))),
      Promise.all(Array.from({ length: count }, () => ada.triggerEvent())),
    ]);
    for (const answer of answers) {
      const { url, description } = expectStatus(answer, 200).data;
      // Each edit is applied whole.
      expect(urls.indexOf(url)).toBe(Number(description.split(' ')[1]) % 2);
    }
    await waitForStates(
      id,
      Array.from({ length: count }, () => 'delivered'),
    );
    const received = [...oldReceiver.received, ...newReceiver.received];
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
    expect(received).toHaveLength(count);
    await edit(id, { url: newReceiver.url });
    const before = newReceiver.received.length;
    await ada.triggerEvent();
    await newReceiver.waitForRequests(before + 1);
  });
});

/** The members that change with deliveries. */
function deliveryFacts({ lastDeliveryAt, lastDeliveryStatus }: any) {
  return { lastDeliveryAt, lastDeliveryStatus };
}
