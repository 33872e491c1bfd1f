import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { signText } from '../../support/device/keys';
import { Service } from '../../support/service';

const DAY = 86_400_000;

describe('POST /v1/auth/sign-in', () => {
  let service: Service;
  let ada: AccountDevice;
  const signIn = async (device: ForeignDevice, extra: object = {}) => {
    const { publicKey } = device.keys;
    const body = { publicKey, ...(await device.signedChallenge({ publicKey })), ...extra };
    return service.http.post('/v1/auth/sign-in', undefined, body);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('gives a first device its account, itself, a token, and no enrollment', async () => {
    const answer = await signIn(ada);
    const { data } = ok(answer, 200);
    expect(Object.keys(data).sort()).toEqual(['account', 'device', 'enrollment', 'token', 'tokenExpiresAt']);
    expect(data.account).toMatchObject({ id: ada.accountId, object: 'account', username: 'ada' });
    expect(data.device).toMatchObject({ id: ada.id, object: 'device', kind: 'account' });
    expect(data.enrollment).toBeNull();
    expect(data.token).toMatch(/^svc_dev_[0-9A-Za-z]{36}$/);
    expect(data.token).not.toBe(ada.token);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('gives an adopted device its enrollment at every sign-in, as its approver signed it', async () => {
    const laptop = new ForeignDevice(service.http, 'laptop');
    const { code } = await laptop.requestPairing('account');
    const enrollment = ada.enrollmentFor(laptop);
    ok(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    expect((await laptop.signIn()).enrollment).toBe(enrollment);
    expect((await laptop.signIn()).enrollment).toBe(enrollment);
  });

  it('refuses a device that it does not know', async () => {
    const answer = await signIn(new ForeignDevice(service.http));
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('refuses a device whose pairing waits', async () => {
    const waiting = new ForeignDevice(service.http);
    await waiting.requestPairing('machine');
    expect((await signIn(waiting)).body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
  });

  it('refuses a revoked device', async () => {
    const old = await ada.adopt('machine');
    ok(await service.http.delete(`/v1/devices/${old.id}`, ada.token), 204);
    const answer = await signIn(old);
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
  });

  it('refuses a signature of another key', async () => {
    const stranger = new ForeignDevice(service.http);
    const answer = await signIn(ada, { signature: signText(stranger.signing.privateKey, 'anything') });
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe('invalid_token');
  });

  it.each([
    ['/signature', { signature: 'short' }],
    ['/signature', { signature: '+'.repeat(86) }],
    ['/challenge', { challenge: 1 }],
    ['/challenge', { challenge: 'x'.repeat(201) }],
    ['/encryptionKey', { encryptionKey: {} }],
  ])('answers 400 that names %s for %j', async (path, extra) => {
    const answer = await signIn(ada, extra);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ in: 'body', path })]);
  });

  it('gives a token for 30 days, which signing in renews', async () => {
    const bob = await AccountDevice.signUp(service.http);
    service.advance(30 * DAY - 60_000);
    ok(await service.http.get('/v1/account', bob.token), 200);
    const { data } = ok(await signIn(bob), 200);
    service.advance(60_000);
    const expired = await service.http.get('/v1/account', bob.token);
    expect(expired.status).toBe(401);
    expect(expired.body).toMatchObject({ code: 'invalid_token', reason: 'expired' });
    ok(await service.http.get('/v1/account', data.token), 200);
  });
});
