import { AccountAdminService } from '../../../src/modules/accounts';
import { ConsoleClient } from '../../support/console-client';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import type { HttpResponse } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

const WITHIN_MS = 1_000;

describe('a suspended account', () => {
  let service: Service;
  let control: AccountAdminService;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    control = service.app.get(AccountAdminService, { strict: false });
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const suspend = (account = ada) => control.suspendAccount(account.accountId);
  const resume = (account = ada) => control.resumeAccount(account.accountId);
  /** Suspending and resuming take effect with the next look-up. */
  const turns = (call: () => Promise<HttpResponse>, status: number) =>
    waitFor(async () => {
      const httpResponse = await call();
      expect(httpResponse.status).toBe(status);
      return httpResponse;
    }, WITHIN_MS);

  it('returns 403 to calls with a token, which consume from their bucket, until the account is resumed', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    const me = () => service.http.get('/external/v1/me', token);
    expectStatus(await me(), 200);
    await suspend();
    const refusal = await turns(me, 403);
    expect(expectProblem(refusal, 403, 'forbidden').detail).toBe('The account is suspended.');
    expect(refusal.headers.get('x-ratelimit-limit')).toBe('600');
    expectProblem(await service.http.get('/external/v1/sessions', token), 403, 'forbidden');
    expectProblem(await service.http.post('/external/v1/webhooks', token, { url: 'x' }), 403, 'forbidden');
    await resume();
    await turns(me, 200);
  });

  it('returns 503 with Retry-After to its devices and to their sign-ins', async () => {
    const account = () => service.http.get('/v1/account', ada.token);
    expectStatus(await account(), 200);
    await suspend();
    const refusal = await turns(account, 503);
    expect(expectProblem(refusal, 503, 'service_unavailable').detail).toBe('The account is suspended.');
    expect(refusal.headers.get('retry-after')).toBe('60');
    await ada.signIn();
    expectProblem(await account(), 503, 'service_unavailable');
    await resume();
    await turns(account, 200);
  });

  it('closes its sockets and rejects new ones until the account is resumed', async () => {
    const machine = await ada.pairDevice('machine');
    const connect = () => DeviceSocket.connect(service.url, machine.token, []);
    const eve = await ForeignAccountDevice.signUp(service.http);
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

  it('shows only an error page in the console', async () => {
    const visitor = await ConsoleClient.signIn(service.url, ada);
    expect((await visitor.get('/console')).status).toBe(200);
    await suspend();
    const page = await waitFor(async () => {
      const answer = await visitor.get('/console');
      expect(answer.status).toBe(403);
      return answer;
    }, WITHIN_MS);
    expect(page.html).toContain('The account is suspended.');
  });

  it('rejects calls of third-party apps, but keeps their sign-ins', async () => {
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const tokens = await app.obtainTokens(service, ada);
    const me = () => service.http.get('/external/v1/me', tokens.access_token);
    const isActive = async () => (await app.postToEndpoint('introspect', { token: tokens.access_token })).body.active;
    expectStatus(await me(), 200);
    await suspend();
    expectProblem(await turns(me, 403), 403, 'forbidden');
    expect(await isActive()).toBe(false);
    await resume();
    await turns(me, 200);
    expect(await isActive()).toBe(true);
    expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
  });

  it('disables the tokens, secrets and sign-ins of its own apps', async () => {
    const app = await ThirdPartyApp.register(ada);
    const eve = await ForeignAccountDevice.signUp(service.http);
    const tokens = await app.obtainTokens(service, eve);
    const me = () => service.http.get('/external/v1/me', tokens.access_token);
    expectStatus(await me(), 200);
    await suspend();
    expect(expectProblem(await turns(me, 401), 401, 'invalid_token').reason).toBe('revoked');
    expect((await app.refreshTokens(tokens.refresh_token)).body.error).toBe('invalid_client');
    expect((await app.requestAuthorization()).status).toBe(400);
    await resume();
    await turns(me, 200);
    expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
  });

  it('keeps all data and the time of the first suspension', async () => {
    const first = await suspend();
    expect(await suspend()).toEqual(first);
    expect(await control.findAccount(ada.username)).toEqual(first);
    expect((await control.findAccount(ada.accountId))!.suspendedAt).toEqual(first!.suspendedAt);
    expect((await resume())!.suspendedAt).toBeNull();
    expect(await control.findAccount('nobody')).toBeNull();
    expect(await control.suspendAccount('acc_00000000000000000000000000')).toBeNull();
  });
});
