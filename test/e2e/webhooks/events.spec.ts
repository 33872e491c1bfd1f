import { DAY, SECOND } from '../../../src/common/clock';
import { EventPublisher } from '../../../src/core/events';
import { UnitOfWork } from '../../../src/core/database';
import { GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { readOpenApiDocument } from '../../support/conformance';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { DeviceSession } from '../../support/device/device-session';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { queryDatabase } from '../../support/database';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver, type ReceivedRequest } from '../../support/webhooks/webhook-receiver';
import { ALL_READ_SCOPES, Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

describe('events', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ RATE_LIMIT_RELAY: '100000' });
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(fixture.service.http, [...ALL_READ_SCOPES, 'machines:invoke', 'sessions:write']);
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const waitForEvents = (type: string, count = 1): Promise<ReceivedRequest[]> =>
    waitFor(() => {
      expect(webhookReceiver.filterByType(type)).toHaveLength(count);
      return webhookReceiver.filterByType(type);
    }, 10_000);
  const readRecord = async (path: string) =>
    expectStatus(await http().get(`/external/v1/${path}`, ada.token), 200).data;

  it('report the lifecycle of a session, with its last state after deletion', async () => {
    await ada.createWebhook(webhookReceiver.url);
    const { id } = await ada.triggerEvent();
    await waitForEvents('session.created');
    const patch = (body: object) =>
      http().request('PATCH', `/v1/sessions/${id}`, { token: ada.device.token, json: body });
    expectStatus(await patch({ state: 'ended' }), 200);
    const [ended] = await waitForEvents('session.ended');
    expect(ended!.payload.data).toEqual(await readRecord(`sessions/${id}`));
    expectStatus(await patch({ state: 'active' }), 200);
    const [updated] = await waitForEvents('session.updated');
    const last = await readRecord(`sessions/${id}`);
    expect(updated!.payload.data).toEqual(last);
    expectStatus(await http().delete(`/v1/sessions/${id}`, ada.device.token), 204);
    const [deleted] = await waitForEvents('session.deleted');
    expect(deleted!.payload.data).toEqual(last);
    expect(webhookReceiver.received).toHaveLength(4);
  });

  it('report each message once, without its content', async () => {
    await ada.createWebhook(webhookReceiver.url, ['message.created']);
    const session = await DeviceSession.createSession(ada.device);
    await session.appendMessages('a', 'b', 'c');
    const messages = await waitForEvents('message.created', 3);
    const { data } = expectStatus(await http().get(`/external/v1/sessions/${session.id}/messages`, ada.token), 200);
    const records = messages.map(({ payload }) => payload.data);
    expect(records.sort((a, b) => b.seq - a.seq)).toEqual(data);
    expect(Object.keys(records[0])).not.toContain('content');
  });

  it('report machines, and their presence when it has lasted for five seconds', async () => {
    await ada.createWebhook(webhookReceiver.url, ['machine.registered', 'machine.online', 'machine.offline']);
    const device = await ada.device.pairDevice('machine');
    const { data } = expectStatus(
      await http().post('/v1/machines', device.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const [registered] = await waitForEvents('machine.registered');
    expect(registered!.payload.data).toEqual(await readRecord(`machines/${data.id}`));
    expectStatus(await http().post('/v1/machines', device.token, { name: 'renamed', platform: 'linux' }), 200);

    const online = async () => (await readRecord(`machines/${data.id}`)).state === 'online';
    const waitForOnline = (state: boolean) => waitFor(async () => expect(await online()).toBe(state));
    const socket = await DeviceSocket.connect(fixture.service.url, device.token, ['machine.invoke']);
    await waitForOnline(true);
    fixture.service.advanceClock(6 * SECOND);
    const [came] = await waitForEvents('machine.online');
    expect(came!.payload.data).toMatchObject({
      id: data.id,
      state: 'online',
      capabilities: ['machine.invoke'],
    });

    // Disconnects and reconnects within five seconds.
    socket.close();
    await waitForOnline(false);
    const again = await DeviceSocket.connect(fixture.service.url, device.token, ['machine.invoke']);
    await waitForOnline(true);
    fixture.service.advanceClock(10 * SECOND);

    again.close();
    await waitForOnline(false);
    fixture.service.advanceClock(6 * SECOND);
    const [went] = await waitForEvents('machine.offline');
    expect(went!.payload.data).toMatchObject({ id: data.id, state: 'offline' });
    expect(webhookReceiver.receivedTypes).toEqual(['machine.registered', 'machine.online', 'machine.offline']);
  });

  it('report tokens, without their secret', async () => {
    await ada.createWebhook(webhookReceiver.url, ['token.created', 'token.revoked']);
    const { id, token } = await ada.device.createToken(['usage:read']);
    const path = `/v1/account/external-tokens/${id}`;
    const [created] = await waitForEvents('token.created');
    expect(created!.payload.data).toEqual(expectStatus(await http().get(path, ada.device.token), 200).data);
    expect(created!.body).not.toContain(token.slice(12));
    expectStatus(await http().delete(path, ada.device.token), 204);
    expectStatus(await http().delete(path, ada.device.token), 204);
    const [revoked] = await waitForEvents('token.revoked');
    expect(revoked!.payload.data).toMatchObject({ id, state: 'revoked' });
    // The event of another token shows that the second revocation has caused none.
    await ada.device.createToken(['usage:read']);
    await waitForEvents('token.created', 2);
    expect(webhookReceiver.receivedTypes).toEqual(['token.created', 'token.revoked', 'token.created']);
  });

  it('report outcomes of relayed calls, without arguments and output', async () => {
    await ada.createWebhook(webhookReceiver.url, ['relay.completed', 'relay.failed']);
    const device = await ada.device.pairDevice('machine');
    const { data } = expectStatus(
      await http().post('/v1/machines', device.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const invoke = () =>
      http().post(`/external/v1/machines/${data.id}/invoke`, ada.token, { command: 'a-telling-name' });
    const refused = await invoke();
    expect(refused.status).toBe(503);
    const [failed] = await waitForEvents('relay.failed');
    expect(failed!.payload.data).toEqual({
      requestId: refused.body.requestId,
      method: 'machine.invoke',
      sessionId: null,
      machineId: data.id,
      tokenId: ada.tokenId,
      outcome: 'not_delivered',
      durationMs: expect.any(Number),
      createdAt: expect.any(Number),
    });
    const socket = await DeviceSocket.connect(
      fixture.service.url,
      device.token,
      ['machine.invoke', 'session.message'],
      echoRequest,
    );
    const httpResponse = await invoke();
    expect(httpResponse.status).toBe(200);
    const [completed] = await waitForEvents('relay.completed');
    expect(completed!.payload.data).toMatchObject({
      requestId: httpResponse.body.requestId,
      outcome: 'answered',
    });
    const headers = { 'Idempotency-Key': 'delivered-once' };
    const invokeWithKey = () =>
      http().post(`/external/v1/machines/${data.id}/invoke`, ada.token, { command: 'true' }, { headers });
    expectStatus(await invokeWithKey(), 200);
    expectStatus(await invokeWithKey(), 200);
    await waitForEvents('relay.completed', 2);
    const controlPath = `/v1/control/machines/${data.id}/invoke`;
    const called = expectStatus(await http().post(controlPath, ada.device.token, { command: 'true' }), 200);
    const session = await ada.device.createSession(device, { machineId: data.id });
    const messagePath = `/external/v1/sessions/${session.id}/messages`;
    expectStatus(await http().post(messagePath, ada.token, { content: 'Hello' }), 200);
    const ofMessage = (await waitForEvents('relay.completed', 3))[2];
    expect(ofMessage!.payload.data).toMatchObject({ sessionId: session.id, machineId: data.id });
    // The call of an account device has a row that was written before those of later calls, and no event.
    const row = await http().get(`/v1/relay-calls/${called.requestId}`, ada.device.token);
    expect(expectStatus(row, 200).data).toMatchObject({ outcome: 'answered', callerDeviceId: ada.device.id });
    const ids = webhookReceiver.filterByType('relay.completed').map(({ payload }) => payload.data.requestId);
    expect(ids).not.toContain(called.requestId);
    for (const { body } of webhookReceiver.received) expect(body).not.toContain('a-telling-name');
    socket.close();
  });

  it('report the lifecycle of a key grant, without its sealed key', async () => {
    await ada.createWebhook(webhookReceiver.url, ['key_grant.created', 'key_grant.revoked']);
    const session = await GrantedSession.createSession(ada.device);
    const grant = expectStatus(await session.grantToService(), 201).data;
    expectStatus(await session.grantToService(), 200);
    const [created] = await waitForEvents('key_grant.created');
    expect(created!.payload.data).toEqual(grant);
    expectStatus(await http().delete(`${getGrantsPath(session.resource)}/${grant.id}`, ada.device.token), 204);
    const [revoked] = await waitForEvents('key_grant.revoked');
    expect(revoked!.payload.data).toEqual(grant);
    expect(webhookReceiver.received).toHaveLength(2);
  });

  it('report a key grant that ends with the authorization of its app', async () => {
    await ada.createWebhook(webhookReceiver.url, ['key_grant.revoked']);
    const app = await ThirdPartyApp.register((await Subscriber.signUp(http())).device);
    await app.obtainTokens(fixture.service, ada.device, { scope: 'sessions:read sessions:content' });
    const session = await GrantedSession.createSession(ada.device);
    const grant = expectStatus(await session.grantToService({ appId: app.clientId }), 201).data;
    expectStatus(await http().delete(`/v1/account/authorized-apps/${app.clientId}`, ada.device.token), 204);
    const [revoked] = await waitForEvents('key_grant.revoked');
    expect(revoked!.payload.data).toEqual(grant);
  });

  it('report a repeated key grant with a new expiry under the same id', async () => {
    await ada.createWebhook(webhookReceiver.url, ['key_grant.created', 'key_grant.revoked']);
    const session = await GrantedSession.createSession(ada.device);
    const grant = expectStatus(await session.grantToService(), 201).data;
    const expiresAt = Date.now() + 3_600_000;
    expectStatus(await session.grantToService({ expiresAt }), 200);
    const both = await waitForEvents('key_grant.created', 2);
    expect(both.map(({ payload }) => payload.data)).toEqual([grant, { ...grant, expiresAt }]);
  });

  it('are not delivered when their transaction is rolled back, whichever operation records them', async () => {
    await ada.createWebhook(webhookReceiver.url);
    const { accountId } = ada.device;
    const eventPublisher = fixture.service.app.get(EventPublisher, { strict: false });
    const unitOfWork = fixture.service.app.get(UnitOfWork, { strict: false });
    const { content } = readOpenApiDocument().webhooks['key_grant.created'].post.requestBody;
    const grant = content['application/json'].example.data;
    const record = (id: string) => {
      const devices = { byDeviceId: null, hostDeviceId: null };
      eventPublisher.recordChange({
        type: 'key_grant.created',
        accountId,
        id,
        ...devices,
        data: { ...grant, recipientKeyId: id },
      });
    };
    const rolledBack = unitOfWork.runInTransaction(() => {
      record('grt_1');
      return Promise.reject(new Error('changed my mind'));
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    await unitOfWork.runInTransaction(() => Promise.resolve(record('grt_2')));
    const [received] = await waitForEvents('key_grant.created');
    expect(received!.payload.data).toEqual({ ...grant, recipientKeyId: 'grt_2' });
    expect(() => record('grt_3')).toThrow('requires a transaction');
  });

  it('are recorded before their change commits: what cannot be recorded does not happen', async () => {
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const { accountId, token } = ada.device;
    const execute = (sql: string) => queryDatabase(fixture.service, sql);
    await execute(
      `ALTER TABLE webhook_outbox_batches ADD CONSTRAINT outbox_refusal CHECK (account_id <> '${accountId}') NOT VALID`,
    );
    const body = new SessionBodyBuilder(ada.device).buildCreateBody();
    try {
      expectProblem(await http().post('/v1/sessions', token, body), 500, 'internal_error');
    } finally {
      await execute('ALTER TABLE webhook_outbox_batches DROP CONSTRAINT outbox_refusal');
    }
    expect(expectStatus(await http().get('/external/v1/sessions', ada.token), 200).data).toEqual([]);
  });

  it('report the expiry of a token once seven days and once one day before', async () => {
    await ada.createWebhook(webhookReceiver.url, ['token.expiring']);
    const { id } = await ada.device.createToken(['usage:read'], { expiresInDays: 10 });
    await ada.device.createToken(['usage:read'], { expiresInDays: 1 });
    const revoked = await ada.device.createToken(['usage:read'], { expiresInDays: 10 });
    expectStatus(await http().delete(`/v1/account/external-tokens/${revoked.id}`, ada.device.token), 204);
    fixture.service.advanceClock(3 * DAY + SECOND);
    const [first] = await waitForEvents('token.expiring');
    expect(first!.payload.data).toMatchObject({ id, object: 'token', state: 'active' });
    // The notice of another token shows that all notices have been published that were due.
    const others: string[] = [];
    const waitForNotices = async (expected: string[]) => {
      const events = await waitForEvents('token.expiring', expected.length);
      expect(events.map(({ payload }) => payload.data.id)).toEqual(expected);
    };
    others.push((await ada.device.createToken(['usage:read'], { expiresInDays: 12 })).id);
    fixture.service.advanceClock(5 * DAY);
    await waitForNotices([id, others[0]!]);
    fixture.service.advanceClock(DAY);
    await waitForNotices([id, others[0]!, id]);
    others.push((await ada.device.createToken(['usage:read'], { expiresInDays: 8 })).id);
    fixture.service.advanceClock(DAY + SECOND);
    await waitForNotices([id, others[0]!, id, others[1]!]);
  });
});
