import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createForeignKeyPair } from '../../support/device/keys';
import { Service } from '../../support/service';

const x = (crv: 'Ed25519' | 'X25519') => createForeignKeyPair(crv).publicKey.x;

/** Each returns a key that is not a public JWK of this curve with exactly kty, crv and x. */
const BAD_KEYS: [string, (crv: 'Ed25519' | 'X25519') => unknown][] = [
  ['its private part', (crv) => ({ ...createForeignKeyPair(crv).publicKey, d: x(crv) })],
  ['a key id', (crv) => ({ ...createForeignKeyPair(crv).publicKey, kid: '1' })],
  ['the other curve', (crv) => createForeignKeyPair(crv === 'Ed25519' ? 'X25519' : 'Ed25519').publicKey],
  ['another key type', (crv) => ({ kty: 'EC', crv, x: x(crv) })],
  ['a curve in other letters', (crv) => ({ kty: 'OKP', crv: crv.toLowerCase(), x: x(crv) })],
  ['31 bytes', (crv) => ({ kty: 'OKP', crv, x: Buffer.alloc(31, 1).toString('base64url') })],
  ['33 bytes', (crv) => ({ kty: 'OKP', crv, x: Buffer.alloc(33, 1).toString('base64url') })],
  ['padding', (crv) => ({ kty: 'OKP', crv, x: `${x(crv)}=` })],
  ['bits beyond its bytes', (crv) => ({ kty: 'OKP', crv, x: `${'A'.repeat(42)}B` })],
  ['no x', (crv) => ({ kty: 'OKP', crv })],
  ['an x that is a number', (crv) => ({ kty: 'OKP', crv, x: 1 })],
  ['a text', () => '{"kty":"OKP"}'],
  ['a list', (crv) => [createForeignKeyPair(crv).publicKey]],
  ['nothing', () => null],
];

describe('the keys of a sign-up', () => {
  let service: Service;
  let device: ForeignAccountDevice;
  let image: Record<string, string>;

  beforeAll(async () => {
    service = await Service.start();
    device = new ForeignAccountDevice(service.http);
    image = await readTableDigests(service);
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
      const httpResponse = await device.requestSignUp('nobody', extra);
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.errors).toEqual([expect.objectContaining({ in: 'body', path })]);
      expect(JSON.stringify(httpResponse.body)).not.toContain('"d"');
    }
    expect(await readTableDigests(service)).toEqual(image);
  });
});
