import { GrantedArtifact, GrantedSession } from '../../support/content/granted-session';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { WebhookReceiver, type ReceivedRequest } from '../../support/webhooks/webhook-receiver';

describe('contentGranted of an event', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(fixture.service.http);
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const waitForEvents = (type: string, count: number): Promise<ReceivedRequest[]> =>
    waitFor(() => {
      expect(webhookReceiver.filterByType(type)).toHaveLength(count);
      return webhookReceiver.filterByType(type);
    }, 10_000);

  it('states whether the creator of the webhook may read the content of the session at that time', async () => {
    const withoutContent = await WebhookReceiver.start();
    await ada.createWebhook(withoutContent.url, ['session.ended']);
    const { token } = await ada.device.createToken(['webhooks:manage', 'sessions:read', 'sessions:content']);
    const body = { url: webhookReceiver.url, events: ['session.ended'] };
    expectStatus(await http().post('/external/v1/webhooks', token, body), 201);
    const [granted, ungranted] = [
      await GrantedSession.createSession(ada.device),
      await GrantedSession.createSession(ada.device),
    ];
    expectStatus(await granted.grantToService(), 201);
    for (const { id } of [granted, ungranted]) {
      const end = { token: ada.device.token, json: { state: 'ended' } };
      expectStatus(await http().request('PATCH', `/v1/sessions/${id}`, end), 200);
    }
    const seen = Object.fromEntries(
      (await waitForEvents('session.ended', 2)).map(({ payload: { data } }) => [data.id, data.contentGranted]),
    );
    expect(seen).toEqual({ [granted.id]: true, [ungranted.id]: false });
    await withoutContent.waitForRequests(2);
    expect(withoutContent.received.map(({ payload }) => payload.data.contentGranted)).toEqual([false, false]);
    await withoutContent.stop();
  });

  it('states whether the creator of the webhook may read the content of the artifact', async () => {
    const scopes = ['webhooks:manage', 'artifacts:read', 'artifacts:content'];
    const { token } = await ada.device.createToken(scopes);
    const body = { url: webhookReceiver.url, events: ['artifact.updated'] };
    expectStatus(await http().post('/external/v1/webhooks', token, body), 201);
    const [granted, ungranted] = [
      await GrantedArtifact.createArtifact(ada.device, 'text'),
      await GrantedArtifact.createArtifact(ada.device, 'text'),
    ];
    expectStatus(await granted.grantToService(), 201);
    for (const artifact of [granted, ungranted]) expectStatus(await artifact.replaceContent('more', 1), 200);
    const seen = (await waitForEvents('artifact.updated', 2)).map(({ payload: { data } }) => data);
    expect(Object.fromEntries(seen.map(({ id, contentGranted }) => [id, contentGranted]))).toEqual({
      [granted.id]: true,
      [ungranted.id]: false,
    });
  });
});
