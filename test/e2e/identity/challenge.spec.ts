import { ForeignDevice, ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { computeForeignThumbprint, createForeignKeyPair, signText } from '../../support/device/keys';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('a challenge', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const ask = async (keys: object) =>
    expectStatus(await service.http.post('/v1/auth/challenge', undefined, keys), 201).data;
  const signIn = (proof: object, device: ForeignDevice = ada) =>
    service.http.post('/v1/auth/sign-in', undefined, { publicKey: device.keys.publicKey, ...proof });
  const signed = ({ challenge, message }: { challenge: string; message: string }) => ({
    challenge,
    signature: signText(ada.signing.privateKey, message),
  });

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('returns the exact text to sign with the host, the challenge and both thumbprints', async () => {
    const device = new ForeignDevice(service.http);
    const before = Date.now();
    const data = await ask(device.keys);
    expect(Object.keys(data).sort()).toEqual(['challenge', 'expiresAt', 'message']);
    const { publicKey, encryptionKey } = device.keys;
    for (const part of [
      service.url,
      data.challenge,
      computeForeignThumbprint(publicKey),
      computeForeignThumbprint(encryptionKey),
    ]) {
      expect(data.message).toContain(part);
    }
    expect(data.expiresAt - before).toBeGreaterThanOrEqual(2 * MINUTE);
    expect(data.expiresAt - before).toBeLessThan(2 * MINUTE + 5_000);
  });

  it('contains only the signing key if no other is given', async () => {
    const { publicKey, encryptionKey } = ada.keys;
    const data = await ask({ publicKey });
    expect(data.message).toContain(computeForeignThumbprint(publicKey));
    expect(data.message).not.toContain(computeForeignThumbprint(encryptionKey));
    const other = await ask({ publicKey });
    expect(other.challenge).not.toBe(data.challenge);
  });

  it.each([
    ['no key', {}],
    ['a private key', { publicKey: { ...createForeignKeyPair('Ed25519').publicKey, d: 'A'.repeat(43) } }],
    ['a key of the other curve', { publicKey: createForeignKeyPair('X25519').publicKey }],
    [
      'an encryption key that cannot encrypt',
      {
        publicKey: createForeignKeyPair('Ed25519').publicKey,
        encryptionKey: createForeignKeyPair('Ed25519').publicKey,
      },
    ],
  ])('is rejected for %s', async (_, body) => {
    const httpResponse = await service.http.post('/v1/auth/challenge', undefined, body);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.code).toBe('invalid_request');
  });

  it('works once', async () => {
    const proof = signed(await ask({ publicKey: ada.keys.publicKey }));
    expectStatus(await signIn(proof), 200);
    const again = await signIn(proof);
    expect(again.status).toBe(401);
    expect(again.body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
  });

  it('works once when used twice concurrently', async () => {
    const proof = signed(await ask({ publicKey: ada.keys.publicKey }));
    const answers = await Promise.all([signIn(proof), signIn(proof), signIn(proof)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401]);
  });

  it('does not work again with a suffix', async () => {
    const given = await ask({ publicKey: ada.keys.publicKey });
    expectStatus(await signIn(signed(given)), 200);
    const challenge = `${given.challenge}.more`;
    const stretched = signed({ challenge, message: given.message.replace(given.challenge, challenge) });
    expect((await signIn(stretched)).status).toBe(401);
  });

  it('expires after two minutes', async () => {
    const early = signed(await ask({ publicKey: ada.keys.publicKey }));
    const late = signed(await ask({ publicKey: ada.keys.publicKey }));
    service.advanceClock(2 * MINUTE - 5_000);
    expectStatus(await signIn(early), 200);
    service.advanceClock(5_000);
    const httpResponse = await signIn(late);
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'expired' });
  });

  it('is rejected if its text was signed for another host', async () => {
    const given = await ask({ publicKey: ada.keys.publicKey });
    const elsewhere = signed({
      ...given,
      message: given.message.replace(service.url, 'https://elsewhere.example'),
    });
    expect((await signIn(elsewhere)).status).toBe(401);
  });

  it('is rejected for other keys', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const given = await ask({ publicKey: bob.keys.publicKey });
    expect((await signIn(signed(given))).status).toBe(401);
    const own = { ...given, signature: signText(bob.signing.privateKey, given.message) };
    expect((await signIn({ challenge: own.challenge, signature: own.signature })).status).toBe(401);
  });

  it('is rejected if this service didn’t issue it', async () => {
    const given = await ask({ publicKey: ada.keys.publicKey });
    const [, nonce, mac] = given.challenge.split('.');
    const challenge = [Date.now() + 60 * MINUTE, nonce, mac].join('.');
    const longer = signed({ challenge, message: given.message.replace(given.challenge, challenge) });
    expect((await signIn(longer)).status).toBe(401);
    expect((await signIn({ challenge: 'a', signature: longer.signature })).status).toBe(401);
  });

  it('for a sign-in must contain only the signing key', async () => {
    const httpResponse = await signIn(signed(await ask(ada.keys)));
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body.code).toBe('invalid_token');
  });
});
