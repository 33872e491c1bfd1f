import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { computeForeignFingerprint } from '../../support/device/fingerprint';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('a pairing', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const newDevice = (name = 'build box') => new ForeignDevice(service.http, name);
  const status = async (id: string) => expectStatus(await service.http.get(`/v1/pairings/${id}`), 200).data;
  const view = (code: string, token = ada.token) => service.http.get(`/v1/pairings/code/${code}`, token);
  const decide = (code: string, how: string, body: object = {}) =>
    service.http.post(`/v1/pairings/code/${code}/${how}`, ada.token, body);

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('returns an unambiguous code that is valid for ten minutes', async () => {
    for (let i = 0; i < 20; i++) {
      const before = Date.now();
      const device = newDevice();
      const body = {
        ...device.keys,
        kind: 'machine',
        name: 'a',
        platform: 'b',
        ...(await device.signChallenge()),
      };
      const { data } = expectStatus(await service.http.post('/v1/pairings', undefined, body), 201);
      expect(Object.keys(data).sort()).toEqual(['code', 'expiresAt', 'id']);
      expect(data.id).toMatch(/^pair_[0-9a-z]{26}$/);
      expect(data.code).toMatch(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/);
      expect(data.expiresAt - before).toBeGreaterThanOrEqual(10 * MINUTE);
      expect(data.expiresAt - before).toBeLessThan(10 * MINUTE + 5_000);
    }
  });

  it('shows an account device the new device with the fingerprint of both keys', async () => {
    const device = newDevice('build box');
    const { id, code } = await device.requestPairing('machine');
    const { data } = expectStatus(await view(code), 200);
    expect(data).toMatchObject({ id, kind: 'machine', name: 'build box', platform: 'linux', ...device.keys });
    expect(data.address).toBe('127.0.0.1');
    expect(data.expiresAt - data.createdAt).toBe(10 * MINUTE);
    expect(data.fingerprint).toBe(computeForeignFingerprint(device.keys.publicKey, device.keys.encryptionKey));
  });

  it('is found by its code regardless of case and hyphens', async () => {
    const { code } = await newDevice().requestPairing('machine');
    for (const typed of [code.toLowerCase(), code.replace('-', ''), code.replace('-', '%20')]) {
      expectStatus(await view(typed), 200);
    }
  });

  it('is pending, then approved and names the account', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('account');
    expect(await status(id)).toEqual({ state: 'pending', accountUsername: null });
    expectStatus(await decide(code, 'approve', { enrollment: ada.createEnrollment(device) }), 204);
    expect(await status(id)).toEqual({ state: 'approved', accountUsername: 'ada' });
    // A device that was offline still learns of the decision.
    service.advanceClock(10 * MINUTE);
    expect(await status(id)).toEqual({ state: 'approved', accountUsername: 'ada' });
    const { account } = await device.signIn();
    expect(account.id).toBe(ada.accountId);
  });

  it('can be denied, and the device cannot sign in', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('account');
    expectStatus(await decide(code, 'deny'), 204);
    expect(await status(id)).toEqual({ state: 'denied', accountUsername: null });
    await expect(device.signIn()).rejects.toThrow('401');
  });

  it('expires after ten minutes', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('machine');
    service.advanceClock(10 * MINUTE);
    expect(await status(id)).toEqual({ state: 'expired', accountUsername: null });
    expect((await view(code)).status).toBe(404);
    const enrollment = ada.createEnrollment(device);
    expect((await decide(code, 'approve', { enrollment })).status).toBe(404);
    expect((await decide(code, 'deny')).status).toBe(404);
    expect((await status(id)).state).toBe('expired');
  });

  it.each(['nonsense', 'pair_00000000000000000000000000', '%00', 'pair_%00'])(
    'of the id %j does not exist',
    async (id) => {
      const httpResponse = await service.http.get(`/v1/pairings/${id}`);
      expect(httpResponse.status).toBe(404);
      expect(httpResponse.body.code).toBe('not_found');
    },
  );

  it('is rejected for a key of another device, even a revoked one', async () => {
    const known = await ada.pairDevice('machine');
    await expect(known.requestPairing('machine')).rejects.toThrow('expected 201, got 409');
    expectStatus(await service.http.delete(`/v1/devices/${known.id}`, ada.token), 204);
    await expect(known.requestPairing('machine')).rejects.toThrow('expected 201, got 409');
  });

  it('requires a signature over both keys', async () => {
    const device = newDevice();
    const { publicKey } = device.keys;
    const proof = await device.signChallenge({ publicKey });
    const body = { ...device.keys, kind: 'machine', name: 'a', platform: 'b', ...proof };
    const httpResponse = await service.http.post('/v1/pairings', undefined, body);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors).toEqual([expect.objectContaining({ path: '/challenge' })]);
  });

  it('reports all violations at once', async () => {
    const body = {
      kind: 'robot',
      name: ' ',
      platform: '',
      challenge: 1,
      signature: 'x',
      publicKey: {},
      more: 1,
    };
    const httpResponse = await service.http.post('/v1/pairings', undefined, body);
    expect(httpResponse.status).toBe(400);
    const paths = httpResponse.body.errors.map((error: { path: string }) => error.path).sort();
    const wrong = ['/challenge', '/encryptionKey', '/kind', '/more', '/name', '/platform', '/publicKey', '/signature'];
    expect(paths).toEqual(wrong);
  });
});
