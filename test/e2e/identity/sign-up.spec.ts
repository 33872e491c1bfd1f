import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { computeForeignFingerprint } from '../../support/device/fingerprint';
import { signText } from '../../support/device/keys';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const CROCKFORD_ID = '[0-9a-hjkmnp-tv-z]{26}';

describe('POST /v1/accounts', () => {
  let service: Service;
  const newDevice = () => new ForeignAccountDevice(service.http, 'laptop');

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('creates an account with its first device', async () => {
    const device = newDevice();
    const before = Date.now();
    const httpResponse = await device.requestSignUp('ada');
    const { data } = expectStatus(httpResponse, 201);
    expect(data.account).toEqual({
      id: expect.stringMatching(`^acc_${CROCKFORD_ID}$`),
      object: 'account',
      username: 'ada',
      contentPublicKey: device.contentKey.publicKey,
      contentKeyVersion: 1,
      plan: { name: 'standard', limits: expect.objectContaining({ maxTokens: 50 }) },
      createdAt: expect.any(Number),
    });
    expect(data.device).toEqual({
      id: expect.stringMatching(`^dev_${CROCKFORD_ID}$`),
      object: 'device',
      kind: 'account',
      name: 'laptop',
      platform: 'linux',
      state: 'offline',
      fingerprint: computeForeignFingerprint(device.keys.publicKey, device.keys.encryptionKey),
      createdAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
    });
    expect(data.token).toMatch(/^svc_dev_[0-9A-Za-z]{36}$/);
    expect(data.tokenExpiresAt - before).toBeGreaterThanOrEqual(30 * DAY);
    expect(data.tokenExpiresAt - before).toBeLessThan(30 * DAY + 10_000);
    expect(data.enrollment ?? null).toBeNull();
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');

    const { data: account } = expectStatus(await service.http.get('/v1/account', data.token), 200);
    expect(account).toEqual(data.account);
  });

  it('says whether a username is available, and stores nothing', async () => {
    const check = (username: unknown) => service.http.post('/v1/accounts/check-username', undefined, { username });
    const before = await readTableDigests(service);
    const free = await check('nobody-yet');
    expect(expectStatus(free, 200).data).toEqual({ available: true });
    expect(free.headers.get('cache-control')).toBe('no-store');
    expect((await check('A B')).status).toBe(400);
    expect(await readTableDigests(service)).toEqual(before);
    expectStatus(await newDevice().requestSignUp('grace'), 201);
    expect(expectStatus(await check('grace'), 200).data).toEqual({ available: false });
  });

  it.each(['abc', 'a-1', 'x'.repeat(32), '---'])('accepts the username %j', async (username) => {
    expectStatus(await newDevice().requestSignUp(username), 201);
  });

  it.each(['ab', 'x'.repeat(33), 'Ada', 'a_b', 'äbc', 'a b', 'abc\n', '', ' abc', 42, null, ['abc']])(
    'rejects the username %j',
    async (username) => {
      const httpResponse = await newDevice().requestSignUp(username as string);
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/username' })]);
    },
  );

  it('returns 409 for a taken username, even for ten concurrent sign-ups', async () => {
    const devices = Array.from({ length: 10 }, newDevice);
    const answers = await Promise.all(devices.map((device) => device.requestSignUp('popular')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(answers.find((answer) => answer.status === 409)!.body.code).toBe('conflict');
  });

  it('returns 409 for a device’s existing signing key and creates no second account', async () => {
    const device = newDevice();
    expectStatus(await device.requestSignUp('first-name'), 201);
    const image = await readTableDigests(service);
    const again = await device.requestSignUp('second-name');
    expect(again.status).toBe(409);
    expect(again.body.code).toBe('conflict');
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('stores nothing if the signature is not of this challenge or this key', async () => {
    const device = newDevice();
    const other = new ForeignDevice(service.http);
    const image = await readTableDigests(service);
    const { challenge, signature } = await device.signChallenge();
    const forgeries = [
      { challenge, signature: signText(device.signing.privateKey, 'another text') },
      { challenge, signature: signText(other.signing.privateKey, challenge) },
      { challenge: (await device.signChallenge()).challenge, signature },
      { challenge: (await other.signChallenge()).challenge, signature },
      { challenge: `${challenge}x`, signature },
    ];
    for (const forgery of forgeries) {
      const httpResponse = await device.requestSignUp('nobody', forgery);
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.code).toBe('invalid_request');
    }
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('requires a challenge for both keys', async () => {
    const device = newDevice();
    const { publicKey } = device.keys;
    const signingOnly = await device.requestSignUp('nobody', await device.signChallenge({ publicKey }));
    expect(signingOnly.body.errors).toEqual([expect.objectContaining({ path: '/challenge' })]);
    const swapped = { publicKey, encryptionKey: newDevice().keys.encryptionKey };
    const otherKey = await device.requestSignUp('nobody', await device.signChallenge(swapped));
    expect(otherKey.status).toBe(400);
  });
});
