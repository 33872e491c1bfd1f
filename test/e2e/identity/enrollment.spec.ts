import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { encodeBase64urlJson, createForeignKeyPair, signJws } from '../../support/device/keys';
import { sealToRecipient } from '../../support/device/jwe-encryption';
import { Service } from '../../support/service';

describe('an enrollment', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let device: ForeignDevice;
  let pairing: { id: string; code: string };
  const approve = (enrollment: unknown, code = pairing.code) =>
    service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment });
  const payload = (extra: object = {}) => ({
    accountId: ada.accountId,
    ...device.keys,
    contentPublicKey: ada.contentKey.publicKey,
    contentKeyVersion: 1,
    ...extra,
  });
  const header = (extra: object = {}) => ({ alg: 'EdDSA', jwk: ada.signing.publicKey, ...extra });
  const sealedKey = () => sealToRecipient(device.keys.encryptionKey, '{"kty":"OKP"}');

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
  });
  beforeEach(async () => {
    device = new ForeignDevice(service.http);
    pairing = await device.requestPairing('machine');
  });
  afterAll(() => service?.stop());

  const tampered = () => {
    const [head, , signature] = ada.createEnrollment(device).split('.');
    return `${head}.${encodeBase64urlJson(payload({ contentKeyVersion: 2 }))}.${signature}`;
  };
  const unsigned = (alg: string) => `${encodeBase64urlJson(header({ alg }))}.${encodeBase64urlJson(payload())}.`;

  const wrong: [string, () => unknown][] = [
    ['signed by another device’s key', () => signJws(bob.signing, payload())],
    ['signed by another key under the approver’s', () => signJws(bob.signing, payload(), header())],
    [
      'for another signing key',
      () => signJws(ada.signing, payload({ publicKey: createForeignKeyPair('Ed25519').publicKey })),
    ],
    [
      'for another encryption key',
      () => signJws(ada.signing, payload({ encryptionKey: createForeignKeyPair('X25519').publicKey })),
    ],
    ['for another account', () => signJws(ada.signing, payload({ accountId: bob.accountId }))],
    ['with another content key', () => signJws(ada.signing, payload({ contentPublicKey: bob.contentKey.publicKey }))],
    ['of another key version', () => signJws(ada.signing, payload({ contentKeyVersion: 2 }))],
    ['of a key version that is a text', () => signJws(ada.signing, payload({ contentKeyVersion: '1' }))],
    ['with a sealed content key for a machine', () => signJws(ada.signing, payload({ sealedContentKey: sealedKey() }))],
    ['with an unknown member', () => signJws(ada.signing, payload({ admin: true }))],
    [
      'with a private key in it',
      () => signJws(ada.signing, payload({ publicKey: { ...device.keys.publicKey, d: 'x' } })),
    ],
    ['without an account', () => signJws(ada.signing, payload({ accountId: undefined }))],
    ['that is no object', () => signJws(ada.signing, 'approved')],
    ['that is null', () => signJws(ada.signing, null)],
    ['that is a list', () => signJws(ada.signing, [payload()])],
    ['unsigned', () => unsigned('EdDSA')],
    ['of alg none', () => unsigned('none')],
    ['of alg HS256', () => signJws(ada.signing, payload(), header({ alg: 'HS256' }))],
    ['changed after it was signed', tampered],
    ['with more in its header', () => signJws(ada.signing, payload(), header({ typ: 'JWT' }))],
    ['with crit in its header', () => signJws(ada.signing, payload(), header({ crit: ['b64'], b64: true }))],
    ['without a key in its header', () => signJws(ada.signing, payload(), { alg: 'EdDSA' })],
    ['not a JWS', () => 'approved'],
    ['empty', () => ''],
    ['a number', () => 1],
    ['missing', () => undefined],
  ];

  it.each(wrong)('%s is 400, and the pairing still waits', async (_, make) => {
    const image = await readTableDigests(service);
    const httpResponse = await approve(make());
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ in: 'body', path: '/enrollment' }],
    });
    expect(await readTableDigests(service)).toEqual(image);
    const { body } = await service.http.get(`/v1/pairings/${pairing.id}`);
    expect(body.data.state).toBe('pending');
  });

  it('is accepted if valid after all rejected ones', async () => {
    expect((await approve(tampered())).status).toBe(400);
    expectStatus(await approve(signJws(ada.signing, payload())), 204);
    expect((await device.signIn()).device).toMatchObject({ kind: 'machine', state: 'offline' });
  });

  it('of an account device carries the sealed content key, which must be a compact JWE', async () => {
    const laptop = new ForeignDevice(service.http);
    const { code } = await laptop.requestPairing('account');
    for (const sealedContentKey of ['text', 'a.b.c', 5, {}]) {
      expect((await approve(ada.createEnrollment(laptop, { sealedContentKey }), code)).status).toBe(400);
    }
    const sealedContentKey = sealToRecipient(laptop.keys.encryptionKey, '{"kty":"OKP"}');
    const enrollment = ada.createEnrollment(laptop, { sealedContentKey });
    expectStatus(await approve(enrollment, code), 204);
    expect((await laptop.signIn()).enrollment).toBe(enrollment);
  });
});
