import { AccountControl } from '../../../src/accounts';
import { ConsoleVisitor } from '../../support/console-visitor';
import { DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import type { Answer } from '../../support/http-client';
import { ThirdParty } from '../../support/oauth/third-party';
import { problem } from '../../support/problems';
import { Service } from '../../support/service';

const WITHIN_MS = 1_000;

describe('a suspended account', () => {
  let service: Service;
  let control: AccountControl;
  let ada: AccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    control = service.app.get(AccountControl, { strict: false });
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const suspend = (account = ada) => control.suspend(account.accountId);
  const resume = (account = ada) => control.resume(account.accountId);
  /** Both ways by the next look-up. */
  const turns = (call: () => Promise<Answer>, status: number) =>
    eventually(async () => {
      const answer = await call();
      expect(answer.status).toBe(status);
      return answer;
    }, WITHIN_MS);

  it('is told so by every call with a token, which draws on its bucket; and by none once it is resumed', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    const me = () => service.http.get('/external/v1/me', token);
    ok(await me(), 200);
    await suspend();
    const refusal = await turns(me, 403);
    expect(problem(refusal, 403, 'forbidden').detail).toBe('The account is suspended.');
    expect(refusal.headers.get('x-ratelimit-limit')).toBe('600');
    problem(await service.http.get('/external/v1/sessions', token), 403, 'forbidden');
    problem(await service.http.post('/external/v1/webhooks', token, { url: 'x' }), 403, 'forbidden');
    await resume();
    await turns(me, 200);
  });

  it('has its devices come again later, also those that sign in meanwhile', async () => {
    const account = () => service.http.get('/v1/account', ada.token);
    ok(await account(), 200);
    await suspend();
    const refusal = await turns(account, 503);
    expect(problem(refusal, 503, 'service_unavailable').detail).toBe('The account is suspended.');
    expect(refusal.headers.get('retry-after')).toBe('60');
    await ada.signIn();
    problem(await account(), 503, 'service_unavailable');
    await resume();
    await turns(account, 200);
  });

  it('loses its sockets, gets none, and has them back once it is resumed', async () => {
    const machine = await ada.adopt('machine');
    const connect = () => DeviceSocket.connect(service.url, machine.token, []);
    const eve = await AccountDevice.signUp(service.http);
    const others = await DeviceSocket.connect(service.url, eve.token, []);
    const socket = await connect();
    await suspend();
    const suspendedAt = performance.now();
    await socket.disconnected;
    expect(performance.now() - suspendedAt).toBeLessThan(WITHIN_MS);
    await expect(connect()).rejects.toMatchObject({ data: { code: 'service_unavailable' } });
    expect(others.socket.connected).toBe(true);
    await resume();
    const again = await connect();
    again.close();
    others.close();
  });

  it('sees no page of the console but the refusal', async () => {
    const visitor = await ConsoleVisitor.signIn(service.url, ada);
    expect((await visitor.get('/console')).status).toBe(200);
    await suspend();
    const page = await eventually(async () => {
      const answer = await visitor.get('/console');
      expect(answer.status).toBe(403);
      return answer;
    }, WITHIN_MS);
    expect(page.html).toContain('The account is suspended.');
  });

  it('is not what a third-party app reads any more, though the app keeps its sign-in', async () => {
    const app = await ThirdParty.register(await AccountDevice.signUp(service.http));
    const tokens = await app.tokens(service, ada);
    const me = () => service.http.get('/external/v1/me', tokens.access_token);
    const isActive = async () => (await app.post('introspect', { token: tokens.access_token })).body.active;
    ok(await me(), 200);
    await suspend();
    problem(await turns(me, 403), 403, 'forbidden');
    expect(await isActive()).toBe(false);
    await resume();
    await turns(me, 200);
    expect(await isActive()).toBe(true);
    ok(await app.refresh(tokens.refresh_token), 200);
  });

  it('has apps that act for nobody: their tokens, their secrets, their way to a sign-in', async () => {
    const app = await ThirdParty.register(ada);
    const eve = await AccountDevice.signUp(service.http);
    const tokens = await app.tokens(service, eve);
    const me = () => service.http.get('/external/v1/me', tokens.access_token);
    ok(await me(), 200);
    await suspend();
    expect(problem(await turns(me, 401), 401, 'invalid_token').reason).toBe('revoked');
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_client');
    expect((await app.authorize()).status).toBe(400);
    await resume();
    await turns(me, 200);
    ok(await app.refresh(tokens.refresh_token), 200);
  });

  it('keeps everything, and the moment of its first suspension', async () => {
    const first = await suspend();
    expect(await suspend()).toEqual(first);
    expect(await control.find(ada.username)).toEqual(first);
    expect((await control.find(ada.accountId))!.suspendedAt).toEqual(first!.suspendedAt);
    expect((await resume())!.suspendedAt).toBeNull();
    expect(await control.find('nobody')).toBeNull();
    expect(await control.suspend('acc_00000000000000000000000000')).toBeNull();
  });
});
