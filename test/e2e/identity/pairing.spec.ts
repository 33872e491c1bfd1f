import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { fingerprintOf } from '../../support/device/fingerprint';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('a pairing', () => {
  let service: Service;
  let ada: AccountDevice;
  const newDevice = (name = 'build box') => new ForeignDevice(service.http, name);
  const status = async (id: string) => ok(await service.http.get(`/v1/pairings/${id}`), 200).data;
  const view = (code: string, token = ada.token) => service.http.get(`/v1/pairings/code/${code}`, token);
  const decide = (code: string, how: string, body: object = {}) =>
    service.http.post(`/v1/pairings/code/${code}/${how}`, ada.token, body);

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http, 'ada');
  });
  afterAll(() => service?.stop());

  it('is asked for by a new device, which gets a code without look-alikes for ten minutes', async () => {
    for (let i = 0; i < 20; i++) {
      const before = Date.now();
      const device = newDevice();
      const body = {
        ...device.keys,
        kind: 'machine',
        name: 'a',
        platform: 'b',
        ...(await device.signedChallenge()),
      };
      const { data } = ok(await service.http.post('/v1/pairings', undefined, body), 201);
      expect(Object.keys(data).sort()).toEqual(['code', 'expiresAt', 'id']);
      expect(data.id).toMatch(/^pair_[0-9a-z]{26}$/);
      expect(data.code).toMatch(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/);
      expect(data.expiresAt - before).toBeGreaterThanOrEqual(10 * MINUTE);
      expect(data.expiresAt - before).toBeLessThan(10 * MINUTE + 5_000);
    }
  });

  it('shows an account device what asks, with the fingerprint of both keys', async () => {
    const device = newDevice('build box');
    const { id, code } = await device.requestPairing('machine');
    const { data } = ok(await view(code), 200);
    expect(data).toMatchObject({ id, kind: 'machine', name: 'build box', platform: 'linux', ...device.keys });
    expect(data.address).toBe('127.0.0.1');
    expect(data.fingerprint).toBe(fingerprintOf(device.keys.publicKey, device.keys.encryptionKey));
  });

  it('is found by its code as a person types it', async () => {
    const { code } = await newDevice().requestPairing('machine');
    for (const typed of [code.toLowerCase(), code.replace('-', ''), code.replace('-', '%20')]) {
      ok(await view(typed), 200);
    }
  });

  it('is pending, then approved and names the account', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('account');
    expect(await status(id)).toEqual({ state: 'pending', accountUsername: null });
    ok(await decide(code, 'approve', { enrollment: ada.enrollmentFor(device) }), 204);
    expect(await status(id)).toEqual({ state: 'approved', accountUsername: 'ada' });
    const { account } = await device.signIn();
    expect(account.id).toBe(ada.accountId);
  });

  it('can be denied, and the device cannot sign in', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('account');
    ok(await decide(code, 'deny'), 204);
    expect(await status(id)).toEqual({ state: 'denied', accountUsername: null });
    await expect(device.signIn()).rejects.toThrow('401');
  });

  it('expires after ten minutes', async () => {
    const device = newDevice();
    const { id, code } = await device.requestPairing('machine');
    service.advance(10 * MINUTE);
    expect(await status(id)).toEqual({ state: 'expired', accountUsername: null });
    expect((await view(code)).status).toBe(404);
    const enrollment = ada.enrollmentFor(device);
    expect((await decide(code, 'approve', { enrollment })).status).toBe(404);
    expect((await decide(code, 'deny')).status).toBe(404);
    expect((await status(id)).state).toBe('expired');
  });

  it.each(['nonsense', 'pair_00000000000000000000000000', '%00', 'pair_%00'])(
    'of the id %j does not exist',
    async (id) => {
      const answer = await service.http.get(`/v1/pairings/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.body.code).toBe('not_found');
    },
  );

  it('is refused for a key that a device has already, revoked or not', async () => {
    const known = await ada.adopt('machine');
    await expect(known.requestPairing('machine')).rejects.toThrow('expected 201, got 409');
    ok(await service.http.delete(`/v1/devices/${known.id}`, ada.token), 204);
    await expect(known.requestPairing('machine')).rejects.toThrow('expected 201, got 409');
  });

  it('asks for a signature over both keys', async () => {
    const device = newDevice();
    const { publicKey } = device.keys;
    const proof = await device.signedChallenge({ publicKey });
    const body = { ...device.keys, kind: 'machine', name: 'a', platform: 'b', ...proof };
    const answer = await service.http.post('/v1/pairings', undefined, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: '/challenge' })]);
  });

  it('names every fault at once', async () => {
    const body = {
      kind: 'robot',
      name: ' ',
      platform: '',
      challenge: 1,
      signature: 'x',
      publicKey: {},
      more: 1,
    };
    const answer = await service.http.post('/v1/pairings', undefined, body);
    expect(answer.status).toBe(400);
    const paths = answer.body.errors.map((error: { path: string }) => error.path).sort();
    const wrong = ['/challenge', '/encryptionKey', '/kind', '/more', '/name', '/platform', '/publicKey', '/signature'];
    expect(paths).toEqual(wrong);
  });
});
