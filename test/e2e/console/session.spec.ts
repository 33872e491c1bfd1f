import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { signText } from '../../support/device/keys';
import { eventually } from '../../support/eventually';
import { Service } from '../../support/service';

const DAY = 86_400_000;

describe('a browser session', () => {
  let service: Service;
  let ada: AccountDevice;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
    ada = await AccountDevice.signUp(service.http, 'ada');
  });
  beforeEach(() => {
    visitor = new ConsoleVisitor(service.url);
  });
  afterAll(() => service?.stop());

  const tokenOf = (cookie: string | null) => cookie!.split('=')[1]!;
  const account = (token: string) => service.http.get('/v1/account', token);

  it('begins with a signature, and answers as a sign-in does but for the token', async () => {
    const answer = await visitor.openSession(ada);
    const { data } = ok(answer, 200);
    expect(Object.keys(data).sort()).toEqual(['account', 'device', 'enrollment', 'tokenExpiresAt']);
    expect(JSON.stringify(data)).not.toContain('svc_dev_');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const page = await visitor.get('/console');
    expect(page.status).toBe(200);
    expect(page.html).toContain('Signed in as ada');
  });

  it('is a cookie that no script reads and no other site sends, good as long as the device token that it is', async () => {
    const { headers, body } = await visitor.openSession(ada);
    const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ');
    expect(pair).toMatch(/^external_api_session=svc_dev_[0-9A-Za-z]{36}$/);
    const expires = new Date(Math.floor(body.data.tokenExpiresAt / 1000) * 1000).toUTCString();
    expect(attributes.sort()).toEqual([`Expires=${expires}`, 'HttpOnly', 'Path=/', 'SameSite=Lax']);
    ok(await account(tokenOf(visitor.cookie)), 200);
  });

  it('is of an adopted device, too, with its enrollment', async () => {
    const laptop = await ada.adopt('account');
    const { data } = ok(await visitor.openSession(laptop), 200);
    expect(data.enrollment).toBe(ada.enrollmentFor(laptop));
    expect(data.device.id).toBe(laptop.id);
  });

  it('is never of a machine', async () => {
    const machine = await ada.adopt('machine');
    const answer = await visitor.openSession(machine);
    expect([answer.status, answer.body.code, visitor.cookie]).toEqual([403, 'forbidden', null]);
    visitor.cookie = `external_api_session=${machine.token}`;
    expect((await visitor.get('/console')).status).toBe(403);
  });

  it('does not begin with a wrong signature, or a challenge that was used', async () => {
    const { publicKey } = ada.keys;
    const proof = await ada.signedChallenge({ publicKey });
    const wrong = { publicKey, ...proof, signature: signText(ada.signing.privateKey, 'else') };
    const refused = async (body: object) => {
      const answer = await visitor.postJson('/console/session', body);
      expect([answer.status, answer.body.code, visitor.cookie]).toEqual([401, 'invalid_token', null]);
    };
    await refused(wrong);
    ok(await visitor.postJson('/console/session', { publicKey, ...proof }), 200);
    visitor.cookie = null;
    await refused({ publicKey, ...proof });
  });

  it('that does not begin draws on the address, as every failed sign-in', async () => {
    const stranger = new ForeignDevice(service.http);
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await visitor.openSession(stranger, headers)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(statuses.at(-1)).toBe(429);
    expect((await visitor.openSession(ada, headers)).status).toBe(200);
  });

  it('takes the place of the one before it', async () => {
    await visitor.openSession(ada);
    const before = tokenOf(visitor.cookie);
    await visitor.openSession(ada);
    expect((await account(before)).status).toBe(401);
    ok(await account(tokenOf(visitor.cookie)), 200);
  });

  it('ends with the device, within a second', async () => {
    const laptop = await ada.adopt('account');
    await visitor.openSession(laptop);
    expect((await visitor.get('/console')).status).toBe(200);
    ok(await service.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    await eventually(async () => expect((await visitor.get('/console')).status).toBe(303), 1_000);
    expect(visitor.cookie).toBeNull();
  });

  it('ends with the account', async () => {
    const bob = await AccountDevice.signUp(service.http);
    await visitor.openSession(bob);
    ok(await service.http.delete('/v1/account', bob.token), 204);
    await eventually(async () => expect((await visitor.get('/console')).status).toBe(303), 1_000);
  });

  it('ends when its person signs out: the token, not the device', async () => {
    await visitor.openSession(ada);
    const token = tokenOf(visitor.cookie);
    const answer = await visitor.post('/console/sign-out', { csrf: await visitor.csrfToken() });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect(visitor.cookie).toBeNull();
    expect((await account(token)).status).toBe(401);
    ok(await visitor.openSession(ada), 200);
  });

  it('ends when a script of the page says so', async () => {
    await visitor.openSession(ada);
    const token = tokenOf(visitor.cookie);
    expect((await visitor.request('DELETE', '/console/session')).status).toBe(204);
    expect((await account(token)).status).toBe(401);
  });

  it.each(['cross-site', 'same-site'])('neither begins nor ends from another site: %s', async (site) => {
    const headers = { 'Sec-Fetch-Site': site };
    expect((await visitor.openSession(ada, headers)).status).toBe(403);
    await visitor.openSession(ada);
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

  it('keeps its cookie where only a script was refused: the answer may come after the next sign-in', async () => {
    visitor.cookie = `external_api_session=svc_dev_${'0'.repeat(36)}`;
    expect((await visitor.get('/console', { 'Sec-Fetch-Dest': 'empty' })).status).toBe(303);
    expect(visitor.cookie).not.toBeNull();
    expect((await visitor.get('/console', { 'Sec-Fetch-Dest': 'document' })).status).toBe(303);
    expect(visitor.cookie).toBeNull();
  });

  it('opens no other path: the device API and the External API take bearer tokens alone', async () => {
    await visitor.openSession(ada);
    for (const path of ['/v1/account', '/external/v1/me']) expect((await visitor.get(path)).status).toBe(401);
  });

  it('is told to hosts with https in a cookie that only they can set', async () => {
    const secure = await Service.start({ PUBLIC_URL: 'https://api.example' });
    try {
      const device = await AccountDevice.signUp(secure.http);
      const { headers } = await new ConsoleVisitor(secure.url).openSession(device);
      const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ');
      expect(pair).toMatch(/^__Host-external_api_session=svc_dev_/);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'Path=/', 'SameSite=Lax']));
      expect(attributes.join()).not.toContain('Domain');
    } finally {
      await secure.stop();
    }
  });

  it('ends with its token, after 30 days', async () => {
    const bob = await AccountDevice.signUp(service.http);
    await visitor.openSession(bob);
    service.advance(30 * DAY);
    expect((await visitor.get('/console')).headers.get('location')).toBe('/console/sign-in');
  });
});
