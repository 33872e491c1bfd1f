import { createECDH, createHash } from 'node:crypto';
import { validate } from 'class-validator';
import { generateKey } from '@external-api/protocol';
import {
  computeRecipientThumbprint,
  IsRecipient,
  pickRecipientKeyMembers,
  type RecipientKeyDto,
} from './recipient-key';

class GrantRequest {
  @IsRecipient()
  recipient: unknown;
}

/** Returns a private JWK on a curve of NIST (RFC 7518 §6.2). */
function generateEcKey(crv: 'P-256' | 'P-384', curveName: string) {
  const ecdh = createECDH(curveName);
  // An uncompressed point: a byte, and the two coordinates.
  const point = ecdh.generateKeys().subarray(1);
  const [x, y] = [point.subarray(0, point.length / 2), point.subarray(point.length / 2)];
  const d = ecdh.getPrivateKey();
  return { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url'), d: d.toString('base64url') };
}

const toPublicKey = ({ d: _, ...key }: { d: string }) => key as RecipientKeyDto;
const X25519 = toPublicKey(generateKey('X25519'));
const P256 = toPublicKey(generateEcKey('P-256', 'prime256v1'));

async function isValid(recipient: unknown): Promise<boolean> {
  return (await validate(Object.assign(new GrantRequest(), { recipient }))).length === 0;
}

describe('IsRecipient', () => {
  it.each([
    ['the service', 'service'],
    ['an X25519 key', X25519],
    ['a P-256 key', P256],
    ['a key id of 128 characters', { ...X25519, kid: 'k'.repeat(128) }],
    ['members that agree with encryption', { ...P256, use: 'enc', alg: 'ECDH-ES+A256KW', key_ops: [], ext: true }],
  ])('accepts %s', async (_, recipient) => {
    expect(await isValid(recipient)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['another name', 'Service'],
    ['null', null],
    ['a list of keys', [X25519]],
    ['a private X25519 key', generateKey('X25519')],
    ['a private P-256 key', generateEcKey('P-256', 'prime256v1')],
    ['a key for signatures', toPublicKey(generateKey('Ed25519'))],
    ['another curve', toPublicKey(generateEcKey('P-384', 'secp384r1'))],
    ['a key type that does not fit the curve', { ...X25519, kty: 'EC' }],
    ['a second coordinate on X25519', { ...X25519, y: X25519.x }],
    ['a missing second coordinate on P-256', { ...P256, y: undefined }],
    ['a point that is not on P-256', { ...P256, y: P256.x }],
    ['padded base64', { ...X25519, x: `${X25519.x}=` }],
    ['a coordinate of 31 bytes', { ...X25519, x: Buffer.alloc(31, 7).toString('base64url') }],
    ['a coordinate of 33 bytes', { ...X25519, x: Buffer.alloc(33, 7).toString('base64url') }],
    // The last of 43 characters encodes four bits, so two are not used.
    ['another spelling of a coordinate', { ...X25519, x: `${'A'.repeat(42)}B` }],
    ['an empty key id', { ...X25519, kid: '' }],
    ['a key id of 129 characters', { ...X25519, kid: 'k'.repeat(129) }],
    ['a key id with a space', { ...X25519, kid: 'a key' }],
    ['the use for signatures', { ...X25519, use: 'sig' }],
    ['another algorithm', { ...X25519, alg: 'ECDH-ES' }],
    ['key operations', { ...X25519, key_ops: ['deriveBits'] }],
    ['an unknown member', { ...X25519, x5c: [] }],
    ['a member that every object has', { ...X25519, constructor: 'x' }],
  ])('rejects %s', async (_, recipient) => {
    expect(await isValid(recipient)).toBe(false);
  });
});

describe('a stored recipient key', () => {
  it('has no members without effect, and y on P-256 only', () => {
    const extra = { use: 'enc', alg: 'ECDH-ES+A256KW', key_ops: [], ext: true };
    expect(pickRecipientKeyMembers({ ...P256, ...extra, kid: 'reader' })).toEqual({ ...P256, kid: 'reader' });
    expect(pickRecipientKeyMembers({ ...X25519, ...extra })).toEqual(X25519);
  });

  it.each([
    ['X25519', X25519, `{"crv":"X25519","kty":"OKP","x":"${X25519.x}"}`],
    ['P-256', P256, `{"crv":"P-256","kty":"EC","x":"${P256.x}","y":"${P256.y}"}`],
  ])('on %s has the thumbprint of its required members (RFC 7638)', async (_, key, json) => {
    const expected = createHash('sha256').update(json).digest('base64url');
    expect(await computeRecipientThumbprint({ ...key, kid: 'reader' })).toBe(expected);
  });
});
