import { databaseImage } from '../../support/database';
import { AccountDevice } from '../../support/device/foreign-device';
import { newKeyPair } from '../../support/device/keys';
import { Service } from '../../support/service';

const x = (crv: 'Ed25519' | 'X25519') => newKeyPair(crv).publicKey.x;

/** Each gives a key that is no public JWK of this curve with exactly kty, crv and x. */
const BAD_KEYS: [string, (crv: 'Ed25519' | 'X25519') => unknown][] = [
  ['its private part', (crv) => ({ ...newKeyPair(crv).publicKey, d: x(crv) })],
  ['a key id', (crv) => ({ ...newKeyPair(crv).publicKey, kid: '1' })],
  ['the other curve', (crv) => newKeyPair(crv === 'Ed25519' ? 'X25519' : 'Ed25519').publicKey],
  ['another key type', (crv) => ({ kty: 'EC', crv, x: x(crv) })],
  ['a curve in other letters', (crv) => ({ kty: 'OKP', crv: crv.toLowerCase(), x: x(crv) })],
  ['31 bytes', (crv) => ({ kty: 'OKP', crv, x: Buffer.alloc(31, 1).toString('base64url') })],
  ['33 bytes', (crv) => ({ kty: 'OKP', crv, x: Buffer.alloc(33, 1).toString('base64url') })],
  ['padding', (crv) => ({ kty: 'OKP', crv, x: `${x(crv)}=` })],
  ['bits beyond its bytes', (crv) => ({ kty: 'OKP', crv, x: `${'A'.repeat(42)}B` })],
  ['no x', (crv) => ({ kty: 'OKP', crv })],
  ['an x that is a number', (crv) => ({ kty: 'OKP', crv, x: 1 })],
  ['a text', () => '{"kty":"OKP"}'],
  ['a list', (crv) => [newKeyPair(crv).publicKey]],
  ['nothing', () => null],
];

describe('the keys of a sign-up', () => {
  let service: Service;
  let device: AccountDevice;
  let image: Record<string, string>;

  beforeAll(async () => {
    service = await Service.start();
    device = new AccountDevice(service.http);
    image = await databaseImage(service);
  });
  afterAll(() => service?.stop());

  it.each(BAD_KEYS)('may not be %s', async (_, make) => {
    const named = { ...device.keys, name: 'a', platform: 'b' };
    const faults = [
      ['/device/publicKey', { device: { ...named, publicKey: make('Ed25519') } }],
      ['/device/encryptionKey', { device: { ...named, encryptionKey: make('X25519') } }],
      ['/contentPublicKey', { contentPublicKey: make('X25519') }],
    ] as const;
    for (const [path, extra] of faults) {
      const answer = await device.trySignUp('nobody', extra);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ in: 'body', path })]);
      expect(JSON.stringify(answer.body)).not.toContain('"d"');
    }
    expect(await databaseImage(service)).toEqual(image);
  });
});
