import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { signText } from '../../support/device/keys';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';

const DAY = 86_400_000;

describe('a browser login', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
  });
  beforeEach(() => {
    visitor = new ConsoleClient(service.url);
  });
  afterAll(() => service?.stop());

  const tokenOf = (cookie: string | null) => cookie!.split('=')[1]!;
  const account = (token: string) => service.http.get('/v1/account', token);

  it('starts with a signature and returns the response of a sign-in without the token', async () => {
    const answer = await visitor.createLogin(ada);
    const { data } = expectStatus(answer, 200);
    expect(Object.keys(data).sort()).toEqual(['account', 'device', 'enrollment', 'tokenExpiresAt']);
    expect(JSON.stringify(data)).not.toContain('svc_dev_');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const page = await visitor.get('/console');
    expect(page.status).toBe(200);
    expect(page.html).toContain('Signed in as ada');
  });

  it('is an HttpOnly and SameSite cookie with the lifetime of its device token', async () => {
    const { headers, body } = await visitor.createLogin(ada);
    const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ');
    expect(pair).toMatch(/^external_api_session=svc_dev_[0-9A-Za-z]{36}$/);
    const expires = new Date(Math.floor(body.data.tokenExpiresAt / 1000) * 1000).toUTCString();
    expect(attributes.sort()).toEqual([`Expires=${expires}`, 'HttpOnly', 'Path=/', 'SameSite=Lax']);
    expectStatus(await account(tokenOf(visitor.cookie)), 200);
  });

  it('works for a paired device and returns its enrollment', async () => {
    const laptop = await ada.pairDevice('account');
    const { data } = expectStatus(await visitor.createLogin(laptop), 200);
    expect(data.enrollment).toBe(ada.createEnrollment(laptop));
    expect(data.device.id).toBe(laptop.id);
  });

  it('is rejected for a machine', async () => {
    const machine = await ada.pairDevice('machine');
    const answer = await visitor.createLogin(machine);
    expect([answer.status, answer.body.code, visitor.cookie]).toEqual([403, 'forbidden', null]);
    visitor.cookie = `external_api_session=${machine.token}`;
    expect((await visitor.get('/console')).status).toBe(403);
  });

  it('is rejected with a wrong signature or a used challenge', async () => {
    const { publicKey } = ada.keys;
    const proof = await ada.signChallenge({ publicKey });
    const wrong = { publicKey, ...proof, signature: signText(ada.signing.privateKey, 'else') };
    const refused = async (body: object) => {
      const answer = await visitor.postJson('/console/session', body);
      expect([answer.status, answer.body.code, visitor.cookie]).toEqual([401, 'invalid_token', null]);
    };
    await refused(wrong);
    expectStatus(await visitor.postJson('/console/session', { publicKey, ...proof }), 200);
    visitor.cookie = null;
    await refused({ publicKey, ...proof });
  });

  it('consumes from the address bucket when it fails, like every failed sign-in', async () => {
    const stranger = new ForeignDevice(service.http);
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const statuses: number[] = [];
    const { publicKey } = stranger.keys;
    for (let i = 0; i < 61; i++) {
      // Another address, because challenges consume from the bucket of the address.
      const proof = await stranger.signChallenge({ publicKey }, { 'X-Forwarded-For': `198.51.100.${i}` });
      statuses.push((await visitor.postJson('/console/session', { publicKey, ...proof }, headers)).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(statuses.at(-1)).toBe(429);
    expect((await visitor.createLogin(ada, { 'X-Forwarded-For': '203.0.113.10' })).status).toBe(200);
  });

  it('replaces the previous login', async () => {
    await visitor.createLogin(ada);
    const before = tokenOf(visitor.cookie);
    await visitor.createLogin(ada);
    expect((await account(before)).status).toBe(401);
    expectStatus(await account(tokenOf(visitor.cookie)), 200);
  });

  it('ends within a second of the device’s revocation', async () => {
    const laptop = await ada.pairDevice('account');
    await visitor.createLogin(laptop);
    expect((await visitor.get('/console')).status).toBe(200);
    expectStatus(await service.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    await waitFor(async () => expect((await visitor.get('/console')).status).toBe(303), 1_000);
    expect(visitor.cookie).toBeNull();
  });

  it('ends when the account is deleted', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    await visitor.createLogin(bob);
    expectStatus(await service.http.delete('/v1/account', bob.token), 204);
    await waitFor(async () => expect((await visitor.get('/console')).status).toBe(303), 1_000);
  });

  it('ends at sign-out, which revokes the token but not the device', async () => {
    await visitor.createLogin(ada);
    const token = tokenOf(visitor.cookie);
    const answer = await visitor.post('/console/sign-out', { csrf: await visitor.readCsrfToken() });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect(visitor.cookie).toBeNull();
    expect((await account(token)).status).toBe(401);
    expectStatus(await visitor.createLogin(ada), 200);
  });

  it('ends when a script of the page requests it', async () => {
    await visitor.createLogin(ada);
    const token = tokenOf(visitor.cookie);
    expect((await visitor.request('DELETE', '/console/session')).status).toBe(204);
    expect(visitor.cookie).toBeNull();
    expect((await account(token)).status).toBe(401);
  });

  it.each(['cross-site', 'same-site'])('can’t be started or ended by another site: %s', async (site) => {
    const headers = { 'Sec-Fetch-Site': site };
    expect((await visitor.createLogin(ada, headers)).status).toBe(403);
    await visitor.createLogin(ada);
    expect((await visitor.request('DELETE', '/console/session', undefined, headers)).status).toBe(403);
    expect((await visitor.get('/console')).status).toBe(200);
  });

  it.each([
    ['a personal access token', async () => (await ada.createToken(['machines:read'])).token],
    ['nonsense', () => Promise.resolve('svc_dev_nonsense')],
    ['a well-formed unknown token', () => Promise.resolve(`svc_dev_${'0'.repeat(36)}`)],
  ])('is not %s', async (_, credential) => {
    visitor.cookie = `external_api_session=${await credential()}`;
    const answer = await visitor.get('/console');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect(visitor.cookie).toBeNull();
  });

  it('keeps its cookie when only a script’s call is rejected, whose response may follow the next sign-in', async () => {
    visitor.cookie = `external_api_session=svc_dev_${'0'.repeat(36)}`;
    expect((await visitor.get('/console', { 'Sec-Fetch-Dest': 'empty' })).status).toBe(303);
    expect(visitor.cookie).not.toBeNull();
    expect((await visitor.get('/console', { 'Sec-Fetch-Dest': 'document' })).status).toBe(303);
    expect(visitor.cookie).toBeNull();
  });

  it('is not accepted by the device API and the External API', async () => {
    await visitor.createLogin(ada);
    for (const path of ['/v1/account', '/external/v1/me']) expect((await visitor.get(path)).status).toBe(401);
  });

  it('uses a __Host- cookie on https', async () => {
    const secure = await Service.start({ PUBLIC_URL: 'https://api.example' });
    try {
      const device = await ForeignAccountDevice.signUp(secure.http);
      const { headers } = await new ConsoleClient(secure.url).createLogin(device);
      const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ');
      expect(pair).toMatch(/^__Host-external_api_session=svc_dev_/);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'Path=/', 'SameSite=Lax']));
      expect(attributes.join()).not.toContain('Domain');
    } finally {
      await secure.stop();
    }
  });

  it('expires with its token after 30 days', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    await visitor.createLogin(bob);
    service.advanceClock(30 * DAY);
    expect((await visitor.get('/console')).headers.get('location')).toBe('/console/sign-in');
  });
});
