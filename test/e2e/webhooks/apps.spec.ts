import { EventEmitter, once } from 'node:events';
import { Names } from '../../../src/webhooks/sending/names';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { ThirdParty } from '../../support/oauth/third-party';
import { Receiver } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const PATH = '/external/v1/webhooks';
const SCOPE = { scope: 'webhooks:manage sessions:read' };

describe('webhooks of an app', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let app: ThirdParty;
  let token: string;
  let receiver: Receiver;

  beforeAll(async () => {
    scene = await WebhookScene.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(scene.service.http);
    app = await ThirdParty.register((await Subscriber.signUp(scene.service.http)).ada);
    token = (await app.tokens(scene.service, ada.ada, SCOPE)).access_token;
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  const http = () => scene.service.http;
  const create = (events: string[]) => http().post(PATH, token, { url: receiver.url, events });
  const revoke = () => http().delete(`/v1/account/authorized-apps/${app.clientId}`, ada.ada.token);
  const expectStates = (id: string, states: string[]) =>
    eventually(async () => {
      expect((await ada.deliveries(id)).map(({ state }: any) => state)).toEqual(states);
    });

  it('are its own alone', async () => {
    const { id: foreign } = await ada.create(receiver.url);
    const { data } = ok(await create(['*']), 201);
    expect(data.createdBy).toEqual({ tokenId: null, appId: app.clientId });
    const listed = ok(await http().get(PATH, token), 200).data;
    expect(listed.map(({ id }: any) => id)).toEqual([data.id]);
    expect((await http().get(`${PATH}/${foreign}`, token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${foreign}`, token)).status).toBe(404);
    expect(ok(await http().get(PATH, ada.token), 200).data).toHaveLength(2);
  });

  it.each(['token.created', 'key_grant.revoked', 'relay.completed'])('are never of %s', async (type) => {
    const answer = await create([type]);
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  });

  it('ask for the scope of what they tell', async () => {
    const answer = await create(['session.created', 'machine.online']);
    expect(answer.body).toMatchObject({
      code: 'insufficient_scope',
      required: expect.arrayContaining(['machines:read']),
    });
  });

  it('end when the person revokes the app, and no others do', async () => {
    const { id: kept } = await ada.create(receiver.url);
    const { data } = ok(await create(['*']), 201);
    expect((await revoke()).status).toBe(204);
    const left = ok(await http().get(PATH, ada.token), 200).data;
    expect(left.map(({ id }: any) => id)).toEqual([kept]);
    expect((await http().get(`/v1/webhooks/${data.id}/deliveries`, ada.ada.token)).status).toBe(404);
  });

  it('are not made once the authorization has ended, even while their name is looked up', async () => {
    const asked = new EventEmitter();
    const names = scene.service.app.get(Names, { strict: false });
    const resolve = jest.spyOn(names, 'resolve').mockImplementation(async () => {
      asked.emit('asked');
      await once(asked, 'answer');
      return ['127.0.0.1'];
    });
    const isAsked = once(asked, 'asked');
    const created = http().post(PATH, token, { url: 'http://receiver.example/', events: ['*'] });
    await isAsked;
    expect((await revoke()).status).toBe(204);
    asked.emit('answer');
    const { status, body } = await created;
    resolve.mockRestore();
    expect([status, body]).toEqual([401, expect.objectContaining({ code: 'invalid_token', reason: 'revoked' })]);
    expect(ok(await http().get(PATH, ada.token), 200).data).toEqual([]);
  });

  it('end when the app is deleted', async () => {
    ok(await create(['*']), 201);
    expect((await http().delete(`/v1/developer/apps/${app.clientId}`, app.owner.token)).status).toBe(204);
    expect(ok(await http().get(PATH, ada.token), 200).data).toEqual([]);
  });

  it('are told of what the app may see, by its authorization', async () => {
    const { data } = ok(await create(['*']), 201);
    const session = await ada.happen();
    await ada.ada.createToken(['usage:read']);
    await receiver.got(1);
    expect(receiver.received[0]!.payload.data.id).toBe(session.id);
    await expectStates(data.id, ['delivered']);
    expect(receiver.types).toEqual(['session.created']);
  });

  it('are told nothing while the app is disabled', async () => {
    const { data } = ok(await create(['*']), 201);
    const path = `/v1/developer/apps/${app.clientId}`;
    ok(await http().post(`${path}/disable`, app.owner.token, undefined), 200);
    await ada.happen();
    ok(await http().post(`${path}/enable`, app.owner.token, undefined), 200);
    const session = await ada.happen();
    await receiver.got(1);
    await eventually(async () => {
      const delivered = (await ada.deliveries(data.id)).filter(({ state }: any) => state === 'delivered');
      expect(delivered).toHaveLength(1);
    });
    expect(receiver.received.map(({ payload }) => payload.data.id)).toContain(session.id);
  });
});
