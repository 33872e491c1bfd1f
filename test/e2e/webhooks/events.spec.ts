import { DAY, SECOND } from '../../../src/common/clock';
import { Changes } from '../../../src/events';
import { UnitOfWork } from '../../../src/persistence';
import { GrantedSession, grantsPath } from '../../support/content/granted-session';
import { DeviceSocket, echo } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { eventually } from '../../support/eventually';
import { Receiver, type Received } from '../../support/webhooks/receiver';
import { ALL_READ, Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

describe('events', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start({ RATE_LIMIT_RELAY: '100000' });
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    ada = await Subscriber.signUp(scene.service.http, [...ALL_READ, 'machines:invoke', 'sessions:write']);
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  const http = () => scene.service.http;
  const told = (type: string, count = 1): Promise<Received[]> =>
    eventually(() => {
      expect(receiver.ofType(type)).toHaveLength(count);
      return receiver.ofType(type);
    }, 10_000);
  const shown = async (path: string) => ok(await http().get(`/external/v1/${path}`, ada.token), 200).data;

  it('tell a session’s life, with its last state when it is gone', async () => {
    await ada.create(receiver.url);
    const { id } = await ada.happen();
    await told('session.created');
    const patch = (body: object) => http().request('PATCH', `/v1/sessions/${id}`, { token: ada.ada.token, json: body });
    ok(await patch({ state: 'ended' }), 200);
    const [ended] = await told('session.ended');
    expect(ended!.payload.data).toEqual(await shown(`sessions/${id}`));
    ok(await patch({ state: 'active' }), 200);
    const [updated] = await told('session.updated');
    const last = await shown(`sessions/${id}`);
    expect(updated!.payload.data).toEqual(last);
    ok(await http().delete(`/v1/sessions/${id}`, ada.ada.token), 204);
    const [deleted] = await told('session.deleted');
    expect(deleted!.payload.data).toEqual(last);
    expect(receiver.received).toHaveLength(4);
  });

  it('tell each message once, never its content', async () => {
    await ada.create(receiver.url, ['message.created']);
    const session = await KeptSession.open(ada.ada);
    await session.append('a', 'b', 'c');
    const messages = await told('message.created', 3);
    const { data } = ok(await http().get(`/external/v1/sessions/${session.id}/messages`, ada.token), 200);
    const records = messages.map(({ payload }) => payload.data);
    expect(records.sort((a, b) => b.seq - a.seq)).toEqual(data);
    expect(Object.keys(records[0])).not.toContain('content');
  });

  it('tell of machines, and of their presence once it has lasted', async () => {
    await ada.create(receiver.url, ['machine.registered', 'machine.online', 'machine.offline']);
    const device = await ada.ada.adopt('machine');
    const { data } = ok(await http().post('/v1/machines', device.token, { name: 'box', platform: 'linux' }), 201);
    const [registered] = await told('machine.registered');
    expect(registered!.payload.data).toEqual(await shown(`machines/${data.id}`));
    ok(await http().post('/v1/machines', device.token, { name: 'renamed', platform: 'linux' }), 200);

    const online = async () => (await shown(`machines/${data.id}`)).state === 'online';
    const turn = (state: boolean) => eventually(async () => expect(await online()).toBe(state));
    const socket = await DeviceSocket.connect(scene.service.url, device.token, ['machine.invoke']);
    await turn(true);
    scene.service.advance(6 * SECOND);
    const [came] = await told('machine.online');
    expect(came!.payload.data).toMatchObject({
      id: data.id,
      state: 'online',
      capabilities: ['machine.invoke'],
    });

    // A flap: away and back within five seconds.
    socket.close();
    await turn(false);
    const again = await DeviceSocket.connect(scene.service.url, device.token, ['machine.invoke']);
    await turn(true);
    scene.service.advance(10 * SECOND);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.types).toEqual(['machine.registered', 'machine.online']);

    again.close();
    await turn(false);
    scene.service.advance(6 * SECOND);
    const [went] = await told('machine.offline');
    expect(went!.payload.data).toMatchObject({ id: data.id, state: 'offline' });
  });

  it('tell of tokens, never their secret', async () => {
    await ada.create(receiver.url, ['token.created', 'token.revoked']);
    const { id, token } = await ada.ada.createToken(['usage:read']);
    const path = `/v1/account/external-tokens/${id}`;
    const [created] = await told('token.created');
    expect(created!.payload.data).toEqual(ok(await http().get(path, ada.ada.token), 200).data);
    expect(created!.body).not.toContain(token.slice(12));
    ok(await http().delete(path, ada.ada.token), 204);
    ok(await http().delete(path, ada.ada.token), 204);
    const [revoked] = await told('token.revoked');
    expect(revoked!.payload.data).toMatchObject({ id, state: 'revoked' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.types).toEqual(['token.created', 'token.revoked']);
  });

  it('tell how relayed calls ended, never what was said', async () => {
    await ada.create(receiver.url, ['relay.completed', 'relay.failed']);
    const device = await ada.ada.adopt('machine');
    const { data } = ok(await http().post('/v1/machines', device.token, { name: 'box', platform: 'linux' }), 201);
    const invoke = () =>
      http().post(`/external/v1/machines/${data.id}/invoke`, ada.token, { command: 'a-telling-name' });
    const refused = await invoke();
    expect(refused.status).toBe(503);
    const [failed] = await told('relay.failed');
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
    const socket = await DeviceSocket.connect(scene.service.url, device.token, ['machine.invoke'], echo);
    const answer = await invoke();
    expect(answer.status).toBe(200);
    const [completed] = await told('relay.completed');
    expect(completed!.payload.data).toMatchObject({ requestId: answer.body.requestId, outcome: 'answered' });
    const headers = { 'Idempotency-Key': 'told-once' };
    const keyed = () =>
      http().post(`/external/v1/machines/${data.id}/invoke`, ada.token, { command: 'true' }, { headers });
    ok(await keyed(), 200);
    ok(await keyed(), 200);
    await told('relay.completed', 2);
    for (const { body } of receiver.received) expect(body).not.toContain('a-telling-name');
    socket.close();
  });

  it('tell a key grant’s life, and never what is sealed in it', async () => {
    await ada.create(receiver.url, ['key_grant.created', 'key_grant.revoked']);
    const session = await GrantedSession.open(ada.ada);
    const grant = ok(await session.grant(), 201).data;
    ok(await session.grant(), 200);
    const [created] = await told('key_grant.created');
    expect(created!.payload.data).toEqual(grant);
    ok(await http().delete(`${grantsPath(session.resource)}/${grant.id}`, ada.ada.token), 204);
    const [revoked] = await told('key_grant.revoked');
    expect(revoked!.payload.data).toEqual(grant);
    expect(receiver.received).toHaveLength(2);
  });

  it('tell whether who subscribed could read the content now', async () => {
    const blind = await Receiver.start();
    await ada.create(blind.url, ['session.ended']);
    const { token } = await ada.ada.createToken(['webhooks:manage', 'sessions:read', 'sessions:content']);
    const body = { url: receiver.url, events: ['session.ended'] };
    ok(await http().post('/external/v1/webhooks', token, body), 201);
    const [open, shut] = [await GrantedSession.open(ada.ada), await GrantedSession.open(ada.ada)];
    ok(await open.grant(), 201);
    for (const { id } of [open, shut]) {
      const end = { token: ada.ada.token, json: { state: 'ended' } };
      ok(await http().request('PATCH', `/v1/sessions/${id}`, end), 200);
    }
    const seen = Object.fromEntries(
      (await told('session.ended', 2)).map(({ payload: { data } }) => [data.id, data.contentGranted]),
    );
    expect(seen).toEqual({ [open.id]: true, [shut.id]: false });
    await blind.got(2);
    expect(blind.received.map(({ payload }) => payload.data.contentGranted)).toEqual([false, false]);
    await blind.stop();
  });

  it('are not told when their transaction is rolled back, whoever records them', async () => {
    await ada.create(receiver.url);
    const { accountId } = ada.ada;
    const changes = scene.service.app.get(Changes, { strict: false });
    const unitOfWork = scene.service.app.get(UnitOfWork, { strict: false });
    const record = (id: string) =>
      changes.record({ type: 'key_grant.created', accountId, id, byDeviceId: null, data: { id } });
    const rolledBack = unitOfWork.run(() => {
      record('grt_1');
      return Promise.reject(new Error('changed my mind'));
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    await unitOfWork.run(() => Promise.resolve(record('grt_2')));
    const [granted] = await told('key_grant.created');
    expect(granted!.payload.data).toEqual({ id: 'grt_2' });
    expect(() => record('grt_3')).toThrow('no transaction');
  });

  it('tell that a token expires, seven days and one day before, each once', async () => {
    await ada.create(receiver.url, ['token.expiring']);
    const { id } = await ada.ada.createToken(['usage:read'], { expiresInDays: 10 });
    await ada.ada.createToken(['usage:read'], { expiresInDays: 1 });
    const revoked = await ada.ada.createToken(['usage:read'], { expiresInDays: 10 });
    ok(await http().delete(`/v1/account/external-tokens/${revoked.id}`, ada.ada.token), 204);
    scene.service.advance(3 * DAY + SECOND);
    const [first] = await told('token.expiring');
    expect(first!.payload.data).toMatchObject({ id, object: 'token', state: 'active' });
    scene.service.advance(5 * DAY);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await told('token.expiring', 1);
    scene.service.advance(DAY);
    const both = await told('token.expiring', 2);
    expect(both[1]!.payload.data.id).toBe(id);
    scene.service.advance(DAY);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await told('token.expiring', 2);
  });
});
