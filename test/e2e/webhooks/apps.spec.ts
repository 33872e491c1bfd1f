import { EventEmitter, once } from 'node:events';
import { AccountAdminService } from '../../../src/modules/accounts';
import { HostResolver } from '../../../src/modules/webhook-sending/host-resolver';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const PATH = '/external/v1/webhooks';
const SCOPE = { scope: 'webhooks:manage sessions:read' };

describe('webhooks of an app', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let app: ThirdPartyApp;
  let token: string;
  let webhookReceiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    app = await ThirdPartyApp.register((await Subscriber.signUp(fixture.service.http)).device);
    token = (await app.obtainTokens(fixture.service, ada.device, SCOPE)).access_token;
    webhookReceiver = await WebhookReceiver.start();
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const create = (events: string[]) => http().post(PATH, token, { url: webhookReceiver.url, events });
  const revoke = () => http().delete(`/v1/account/authorized-apps/${app.clientId}`, ada.device.token);
  const expectStates = (id: string, states: string[]) =>
    waitFor(async () => {
      expect((await ada.listDeliveries(id)).map(({ state }: any) => state)).toEqual(states);
    });

  it('are visible to this app and the account only', async () => {
    const { id: foreign } = await ada.createWebhook(webhookReceiver.url);
    const { data } = expectStatus(await create(['*']), 201);
    expect(data.createdBy).toEqual({ tokenId: null, appId: app.clientId });
    const listed = expectStatus(await http().get(PATH, token), 200).data;
    expect(listed.map(({ id }: any) => id)).toEqual([data.id]);
    expect((await http().get(`${PATH}/${foreign}`, token)).status).toBe(404);
    expect((await http().delete(`${PATH}/${foreign}`, token)).status).toBe(404);
    expect(expectStatus(await http().get(PATH, ada.token), 200).data).toHaveLength(2);
  });

  it.each(['token.created', 'key_grant.revoked', 'relay.completed'])('cannot subscribe to %s', async (type) => {
    const httpResponse = await create([type]);
    expect([httpResponse.status, httpResponse.body.code]).toEqual([403, 'forbidden']);
  });

  it('require the read scope of the events', async () => {
    const httpResponse = await create(['session.created', 'machine.online']);
    expect(httpResponse.body).toMatchObject({
      code: 'insufficient_scope',
      required: expect.arrayContaining(['machines:read']),
    });
  });

  it('are deleted when the person revokes the app, and no others are', async () => {
    const { id: ownId } = await ada.createWebhook(webhookReceiver.url);
    const { data } = expectStatus(await create(['*']), 201);
    expect((await revoke()).status).toBe(204);
    const remaining = expectStatus(await http().get(PATH, ada.token), 200).data;
    expect(remaining.map(({ id }: any) => id)).toEqual([ownId]);
    expect((await http().get(`/v1/webhooks/${data.id}/deliveries`, ada.device.token)).status).toBe(404);
  });

  it('are not created when the authorization is revoked while their host is resolved', async () => {
    const resolver = new EventEmitter();
    const hostResolver = fixture.service.app.get(HostResolver, { strict: false });
    const resolve = jest.spyOn(hostResolver, 'resolveHost').mockImplementation(async () => {
      resolver.emit('query');
      await once(resolver, 'response');
      return ['127.0.0.1'];
    });
    const hasQueried = once(resolver, 'query');
    const created = http().post(PATH, token, { url: 'http://receiver.example/', events: ['*'] });
    await hasQueried;
    expect((await revoke()).status).toBe(204);
    resolver.emit('response');
    const { status, body } = await created;
    resolve.mockRestore();
    expect([status, body]).toEqual([401, expect.objectContaining({ code: 'invalid_token', reason: 'revoked' })]);
    expect(expectStatus(await http().get(PATH, ada.token), 200).data).toEqual([]);
  });

  it('are deleted with the app', async () => {
    expectStatus(await create(['*']), 201);
    expect((await http().delete(`/v1/developer/apps/${app.clientId}`, app.owner.token)).status).toBe(204);
    expect(expectStatus(await http().get(PATH, ada.token), 200).data).toEqual([]);
  });

  it('are deleted with the account of the app’s developer, as the audit trail says', async () => {
    expectStatus(await create(['*']), 201);
    expectStatus(await http().delete('/v1/account', app.owner.token), 204);
    expect(expectStatus(await http().get(PATH, ada.token), 200).data).toEqual([]);
    const { data: acts } = expectStatus(await http().get('/v1/audit-events?limit=1', ada.device.token), 200);
    const actor = { kind: 'app', id: app.clientId };
    expect(acts).toMatchObject([{ act: 'app.authorization_revoked', actor, address: null, userAgent: null }]);
  });

  it('receive only the events that the authorization covers', async () => {
    const { data } = expectStatus(await create(['*']), 201);
    const session = await ada.triggerEvent();
    await ada.device.createToken(['usage:read']);
    await webhookReceiver.waitForRequests(1);
    expect(webhookReceiver.received[0]!.payload.data.id).toBe(session.id);
    await expectStates(data.id, ['delivered']);
    expect(webhookReceiver.receivedTypes).toEqual(['session.created']);
  });

  const changeApp = async (action: string) =>
    expectStatus(await http().post(`/v1/developer/apps/${app.clientId}/${action}`, app.owner.token, undefined), 200);
  const accounts = () => fixture.service.app.get(AccountAdminService, { strict: false });

  it.each([
    ['the app is disabled', () => changeApp('disable'), () => changeApp('enable')],
    [
      'the account of the app’s developer is suspended',
      () => accounts().suspendAccount(app.owner.accountId),
      () => accounts().resumeAccount(app.owner.accountId),
    ],
  ])('receive nothing while %s', async (_, stopApp, resumeApp) => {
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    expectStatus(await create(['session.created']), 201);
    await stopApp();
    const missed = await ada.triggerEvent();
    // The event has gone to all webhooks when it arrives at one.
    await webhookReceiver.waitForRequests(1);
    await resumeApp();
    const session = await ada.triggerEvent();
    const requests = await webhookReceiver.waitForRequests(3);
    expect(requests.map(({ payload }) => payload.data.id)).toEqual([missed.id, session.id, session.id]);
  });
});
