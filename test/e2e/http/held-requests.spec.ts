import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdminService } from '../../../src/modules/accounts';
import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

/** Time after which a revocation has taken effect. */
const REVOCATION_MS = 1_100;
const NEW_TOKEN = JSON.stringify({ name: 'kept', scopes: ['sessions:read'] });

describe('a request whose body arrives late', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let phone: ForeignDevice;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    phone = await ada.pairDevice('account');
  });
  afterAll(() => service?.stop());

  /** Sends all but the last byte. Returns a function that sends it, and returns the response. */
  async function hold(path: string, headers: Record<string, string>, body: string) {
    const held = request(service.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers },
    });
    await new Promise((resolve) => held.write(body.slice(0, -1), resolve));
    // The credential is checked when the head has arrived.
    await sleep(200);
    return async () => {
      const answered = once(held, 'response') as Promise<[IncomingMessage]>;
      held.end(body.slice(-1));
      const [response] = await answered;
      return { status: response.statusCode, text: await text(response) };
    };
  }
  const byToken = (token: string) => ({ Authorization: `Bearer ${token}` });
  const listTokenNames = async () =>
    expectStatus(await service.http.get('/v1/account/external-tokens', ada.token), 200).data.map(
      ({ name }: { name: string }) => name,
    );
  const revokePhone = async () => {
    expectStatus(await service.http.delete(`/v1/devices/${phone.id}`, ada.token), 204);
    await sleep(REVOCATION_MS);
  };

  it('is served while its credential is valid', async () => {
    const finish = await hold('/v1/account/external-tokens', byToken(phone.token), NEW_TOKEN);
    await sleep(REVOCATION_MS);
    expect((await finish()).status).toBe(201);
    expect(await listTokenNames()).toEqual(['kept']);
  });

  it('is 401 once its device is revoked, and changes nothing', async () => {
    const finish = await hold('/v1/account/external-tokens', byToken(phone.token), NEW_TOKEN);
    await revokePhone();
    const { status, text: problem } = await finish();
    expect([status, JSON.parse(problem).code]).toEqual([401, 'invalid_token']);
    expect(await listTokenNames()).toEqual([]);
  });

  it('is 401 once its token is revoked', async () => {
    const { id, token } = await ada.createToken(['sessions:write']);
    const finish = await hold('/external/v1/sessions/none/messages', byToken(token), '{"content": "hello"}');
    expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    await sleep(REVOCATION_MS);
    expect((await finish()).status).toBe(401);
  });

  it('is refused once its account is suspended', async () => {
    const finish = await hold('/v1/account/external-tokens', byToken(phone.token), NEW_TOKEN);
    await service.app.get(AccountAdminService, { strict: false }).suspendAccount(ada.accountId);
    await sleep(REVOCATION_MS);
    expect((await finish()).status).toBe(503);
  });

  it('is refused as a form of the console, too', async () => {
    const visitor = await ConsoleClient.signIn(service.url, phone);
    const form = new URLSearchParams([
      ['csrf', await visitor.readCsrfToken()],
      ['name', 'kept'],
      ['scopes', 'sessions:read'],
      ['expiresInDays', '7'],
    ]);
    const headers = {
      Cookie: visitor.cookie!,
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'text/html',
    };
    const finish = await hold('/console/tokens', headers, form.toString());
    await revokePhone();
    const page = await finish();
    expect(page.status).toBe(401);
    expect(page.text).toContain('You are signed out');
    expect(await listTokenNames()).toEqual([]);
  });
});
