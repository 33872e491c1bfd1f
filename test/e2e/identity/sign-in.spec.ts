import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { signText } from '../../support/device/keys';
import { Service } from '../../support/service';

const DAY = 86_400_000;

describe('POST /v1/auth/sign-in', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const signIn = async (device: ForeignDevice, extra: object = {}) => {
    const { publicKey } = device.keys;
    const body = { publicKey, ...(await device.signChallenge({ publicKey })), ...extra };
    return service.http.post('/v1/auth/sign-in', undefined, body);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('returns account, device and token to a first device, without an enrollment', async () => {
    const httpResponse = await signIn(ada);
    const { data } = expectStatus(httpResponse, 200);
    expect(Object.keys(data).sort()).toEqual(['account', 'device', 'enrollment', 'token', 'tokenExpiresAt']);
    expect(data.account).toMatchObject({ id: ada.accountId, object: 'account', username: 'ada' });
    expect(data.device).toMatchObject({ id: ada.id, object: 'device', kind: 'account' });
    expect(data.enrollment).toBeNull();
    expect(data.token).toMatch(/^svc_dev_[0-9A-Za-z]{36}$/);
    expect(data.token).not.toBe(ada.token);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
  });

  it('returns the signed enrollment to a paired device at every sign-in', async () => {
    const laptop = new ForeignDevice(service.http, 'laptop');
    const { code } = await laptop.requestPairing('account');
    const enrollment = ada.createEnrollment(laptop);
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    expect((await laptop.signIn()).enrollment).toBe(enrollment);
    expect((await laptop.signIn()).enrollment).toBe(enrollment);
  });

  it('rejects an unknown device', async () => {
    const httpResponse = await signIn(new ForeignDevice(service.http));
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
    expect(httpResponse.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('rejects a device with a pending pairing', async () => {
    const waiting = new ForeignDevice(service.http);
    await waiting.requestPairing('machine');
    expect((await signIn(waiting)).body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
  });

  it('rejects a revoked device', async () => {
    const old = await ada.pairDevice('machine');
    expectStatus(await service.http.delete(`/v1/devices/${old.id}`, ada.token), 204);
    const httpResponse = await signIn(old);
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
  });

  it('rejects a signature of another key', async () => {
    const stranger = new ForeignDevice(service.http);
    const httpResponse = await signIn(ada, { signature: signText(stranger.signing.privateKey, 'anything') });
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body.code).toBe('invalid_token');
  });

  it.each([
    ['/signature', { signature: 'short' }],
    ['/signature', { signature: '+'.repeat(86) }],
    ['/challenge', { challenge: 1 }],
    ['/challenge', { challenge: 'x'.repeat(201) }],
    ['/encryptionKey', { encryptionKey: {} }],
  ])('returns 400 at %s for %j', async (path, extra) => {
    const httpResponse = await signIn(ada, extra);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors).toEqual([expect.objectContaining({ in: 'body', path })]);
  });

  it('ends the oldest token of a device that has 1,000, and closes its socket', async () => {
    const machine = await ada.pairDevice('machine');
    const { token: oldest } = machine;
    const socket = await DeviceSocket.connect(service.url, oldest);
    await queryDatabase(
      service,
      `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
       SELECT sha256(convert_to(device_id || n, 'UTF8')), device_id, created_at + n * interval '1 millisecond',
              expires_at
         FROM device_tokens, generate_series(1, 999) n WHERE device_id = $1`,
      [machine.id],
    );
    expectStatus(await service.http.get('/v1/sessions', oldest), 200);
    const { token } = await machine.signIn();
    expect((await service.http.get('/v1/sessions', oldest)).body).toMatchObject({ code: 'invalid_token' });
    await socket.disconnected;
    expectStatus(await service.http.get('/v1/sessions', token), 200);
    const countTokens = 'SELECT count(*)::int AS count FROM device_tokens WHERE device_id = $1';
    expect(await queryDatabase(service, countTokens, [machine.id])).toEqual([{ count: 1_000 }]);
  });

  it('issues a token for 30 days, and a new one at the next sign-in', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    service.advanceClock(30 * DAY - 60_000);
    expectStatus(await service.http.get('/v1/account', bob.token), 200);
    const { data } = expectStatus(await signIn(bob), 200);
    service.advanceClock(60_000);
    const expired = await service.http.get('/v1/account', bob.token);
    expect(expired.status).toBe(401);
    expect(expired.body).toMatchObject({ code: 'invalid_token', reason: 'expired' });
    expectStatus(await service.http.get('/v1/account', data.token), 200);
  });
});
