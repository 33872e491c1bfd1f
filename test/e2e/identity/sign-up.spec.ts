import { databaseImage } from '../../support/database';
import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { fingerprintOf } from '../../support/device/fingerprint';
import { signText } from '../../support/device/keys';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const CROCKFORD_ID = '[0-9a-hjkmnp-tv-z]{26}';

describe('POST /v1/accounts', () => {
  let service: Service;
  const newDevice = () => new AccountDevice(service.http, 'laptop');

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('makes an account with its first device', async () => {
    const device = newDevice();
    const before = Date.now();
    const answer = await device.trySignUp('ada');
    const { data } = ok(answer, 201);
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
      fingerprint: fingerprintOf(device.keys.publicKey, device.keys.encryptionKey),
      createdAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
    });
    expect(data.token).toMatch(/^svc_dev_[0-9A-Za-z]{36}$/);
    expect(data.tokenExpiresAt - before).toBeGreaterThanOrEqual(30 * DAY);
    expect(data.tokenExpiresAt - before).toBeLessThan(30 * DAY + 10_000);
    expect(data.enrollment ?? null).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store');

    const { data: account } = ok(await service.http.get('/v1/account', data.token), 200);
    expect(account).toEqual(data.account);
  });

  it.each(['abc', 'a-1', 'x'.repeat(32), '---'])('takes the username %j', async (username) => {
    ok(await newDevice().trySignUp(username), 201);
  });

  it.each(['ab', 'x'.repeat(33), 'Ada', 'a_b', 'äbc', 'a b', 'abc\n', '', ' abc', 42, null, ['abc']])(
    'refuses the username %j',
    async (username) => {
      const answer = await newDevice().trySignUp(username as string);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ in: 'body', path: '/username' })]);
    },
  );

  it('answers 409 for a username that is taken, to ten at once too', async () => {
    const devices = Array.from({ length: 10 }, newDevice);
    const answers = await Promise.all(devices.map((device) => device.trySignUp('popular')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(answers.find((answer) => answer.status === 409)!.body.code).toBe('conflict');
  });

  it('answers 409 for a signing key that a device has already, and makes no second account', async () => {
    const device = newDevice();
    ok(await device.trySignUp('first-name'), 201);
    const image = await databaseImage(service);
    const again = await device.trySignUp('second-name');
    expect(again.status).toBe(409);
    expect(again.body.code).toBe('conflict');
    expect(await databaseImage(service)).toEqual(image);
  });

  it('writes nothing when the signature is not of this challenge or of this key', async () => {
    const device = newDevice();
    const other = new ForeignDevice(service.http);
    const image = await databaseImage(service);
    const { challenge, signature } = await device.signedChallenge();
    const forgeries = [
      { challenge, signature: signText(device.signing.privateKey, 'another text') },
      { challenge, signature: signText(other.signing.privateKey, challenge) },
      { challenge: (await device.signedChallenge()).challenge, signature },
      { challenge: (await other.signedChallenge()).challenge, signature },
      { challenge: `${challenge}x`, signature },
    ];
    for (const forgery of forgeries) {
      const answer = await device.trySignUp('nobody', forgery);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe('invalid_request');
    }
    expect(await databaseImage(service)).toEqual(image);
  });

  it('asks for a challenge over both keys', async () => {
    const device = newDevice();
    const { publicKey } = device.keys;
    const signingOnly = await device.trySignUp('nobody', await device.signedChallenge({ publicKey }));
    expect(signingOnly.body.errors).toEqual([expect.objectContaining({ path: '/challenge' })]);
    const swapped = { publicKey, encryptionKey: newDevice().keys.encryptionKey };
    const otherKey = await device.trySignUp('nobody', await device.signedChallenge(swapped));
    expect(otherKey.status).toBe(400);
  });
});
