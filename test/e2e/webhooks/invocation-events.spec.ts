import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { buildInvocationReport, type ReportedState } from '../../support/invocation-fixture';
import { expectProblem } from '../../support/problems';
import { ALL_READ_SCOPES, Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../../support/webhooks/webhook-receiver';

describe('events of an invocation', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let machine: ForeignDevice;
  let machineId: string;
  let socket: DeviceSocket;
  let webhookReceiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await WebhookFixture.start({ RATE_LIMIT_RELAY: '100000' });
    const { http } = fixture.service;
    ada = await Subscriber.signUp(http, [...ALL_READ_SCOPES, 'machines:invoke']);
    machine = await ada.device.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    machineId = expectStatus(await http.post('/v1/machines', machine.token, body), 201).data.id;
    socket = await DeviceSocket.connect(fixture.service.url, machine.token, ['invocation'], () => ({
      ok: true,
      result: buildInvocationReport('running', 1),
    }));
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(async () => {
    socket?.close();
    await fixture?.stop();
  });

  const start = async () => {
    const path = `/external/v1/machines/${machineId}/invocations`;
    return expectStatus(await fixture.service.http.post(path, ada.token, { command: 'make' }), 202).data;
  };
  const report = async ({ requestId }: { requestId: string }, state: ReportedState, revision: number) => {
    const path = `/v1/machines/${machineId}/invocations/${requestId}`;
    const json = buildInvocationReport(state, revision);
    return expectStatus(await fixture.service.http.request('PUT', path, { token: machine.token, json }), 200).data;
  };

  it('are delivered at its end, once, with the record that callers see', async () => {
    const webhook = await ada.createWebhook(webhookReceiver.url, ['invocation.ended']);
    const first = await start();
    const ended = await report(first, 'completed', 2);
    await report(first, 'completed', 3);
    const other = await report(await start(), 'cancelled', 2);
    const received = await webhookReceiver.waitForRequests(2, 20_000);
    const payloads = received.map((request): any => verifySignature(webhook.secret, request));
    expect(payloads.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        { type: 'invocation.ended', data: ended },
        { type: 'invocation.ended', data: other },
      ]),
    );
    expect(await ada.listDeliveries(webhook.id)).toHaveLength(2);
  });

  it('are delivered for a command that its device refuses to start', async () => {
    const webhook = await ada.createWebhook(webhookReceiver.url, ['invocation.ended']);
    socket.setHandler(() => ({ ok: false, error: { code: 'command_not_found', message: 'No.' } }));
    const path = `/external/v1/machines/${machineId}/invocations`;
    const refused = await fixture.service.http.post(path, ada.token, { command: 'make' });
    socket.setHandler(() => ({ ok: true, result: buildInvocationReport('running', 1) }));
    expectProblem(refused, 502, 'device_error');
    const [received] = await webhookReceiver.waitForRequests(1, 20_000);
    expect(verifySignature(webhook.secret, received!)).toMatchObject({
      type: 'invocation.ended',
      data: { machineId, state: 'failed', errorCode: 'command_not_found' },
    });
  });

  it('require machines:invoke of those who ask for them, and are left out of * without it', async () => {
    const { token } = await ada.device.createToken(ALL_READ_SCOPES);
    const post = (events: string[]) =>
      fixture.service.http.post('/external/v1/webhooks', token, { url: webhookReceiver.url, events });
    const refused = expectProblem(await post(['invocation.ended']), 403, 'insufficient_scope');
    expect(refused.required).toEqual(['machines:invoke']);
    const webhook = expectStatus(await post(['*']), 201).data;
    await report(await start(), 'completed', 2);
    // Published after the end of the invocation, so that nothing of it is still on its way.
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1, 20_000);
    const types = (await ada.listDeliveries(webhook.id)).map(({ type }: { type: string }) => type);
    expect(types).not.toContain('invocation.ended');
    expect(types).not.toEqual([]);
  });
});
