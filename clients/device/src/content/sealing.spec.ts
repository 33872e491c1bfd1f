import { compactDecrypt, CompactEncrypt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import { createPublicKey } from 'node:crypto';
import { generateDataKey, sealJson, unsealDataKey, unsealJson } from '@external-api/protocol';
import { generateContentKey, sealContentKey, unsealContentKey } from './content-key';
import { generateKey, toPublicKey } from '../keys';

const recipient = generateKey('X25519');

describe('a sealed key', () => {
  it('has exactly the header of the contract and opens for its recipient only', async () => {
    const sealed = await sealJson({ kty: 'oct', k: 'AA' }, toPublicKey(recipient));
    expect(decodeProtectedHeader(sealed)).toEqual({
      alg: 'ECDH-ES+A256KW',
      enc: 'A256GCM',
      epk: expect.any(Object),
    });
    expect(await unsealJson(sealed, recipient)).toEqual({ kty: 'oct', k: 'AA' });
    await expect(unsealJson(sealed, generateKey('X25519'))).rejects.toThrow();
  });

  it.each([
    { alg: 'ECDH-ES', enc: 'A256GCM' },
    { alg: 'ECDH-ES+A256KW', enc: 'A128GCM' },
    { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', svc: 'x' },
  ])('is refused with %j', async (header) => {
    const key = createPublicKey({ key: { ...toPublicKey(recipient) }, format: 'jwk' });
    const sealed = await new CompactEncrypt(Buffer.from('{}')).setProtectedHeader(header).encrypt(key);
    await expect(unsealJson(sealed, recipient)).rejects.toThrow();
  });

  it('names the key that it is sealed to, where the recipient has several', async () => {
    expect(decodeProtectedHeader(await sealJson({}, toPublicKey(recipient), 'g1')).kid).toBe('g1');
  });

  it('goes to a P-256 key as well', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES+A256KW', {
      crv: 'P-256',
      extractable: true,
    });
    const { x = '', y = '' } = await exportJWK(publicKey);
    // An empty `key_ops` is allowed in the key of a recipient and must not count.
    const recipientKey = { kty: 'EC', crv: 'P-256', x, y, use: 'enc', key_ops: [] } as const;
    const sealed = await sealJson({ a: 1 }, recipientKey);
    expect(Buffer.from((await compactDecrypt(sealed, privateKey)).plaintext).toString()).toBe('{"a":1}');
  });
});

describe('a data key', () => {
  const sealedAs = async (payload: object) => ({
    kid: 'k1',
    sealed: await sealJson(payload, toPublicKey(recipient)),
  });
  const k = 'A'.repeat(43);

  it('is 256 random bits, sealed as an oct JWK with its kid', async () => {
    const dataKey = await generateDataKey(toPublicKey(recipient));
    const jwk = { kty: 'oct', k: dataKey.k, kid: dataKey.kid };
    expect(await unsealJson(dataKey.sealed, recipient)).toEqual(jwk);
    expect(Buffer.from(dataKey.k, 'base64url')).toHaveLength(32);
    expect(await unsealDataKey(dataKey, recipient)).toEqual({ kid: dataKey.kid, k: dataKey.k });
  });

  it('of another device may leave its kid to the record', async () => {
    expect(await unsealDataKey(await sealedAs({ kty: 'oct', k }), recipient)).toEqual({ kid: 'k1', k });
  });

  it.each([
    ['another key', { kty: 'oct', k, kid: 'k2' }],
    ['a shorter key', { kty: 'oct', k: 'AAAA', kid: 'k1' }],
    ['a key of another type', { kty: 'OKP', k, kid: 'k1' }],
    ['no key', {}],
  ])('is refused when %s is sealed', async (_, payload) => {
    await expect(unsealDataKey(await sealedAs(payload), recipient)).rejects.toThrow('The sealed data key');
  });
});

describe('a sealed content key', () => {
  it('comes back whole, and only where it is the one that was vouched for', async () => {
    const contentKey = generateContentKey();
    const sealed = await sealContentKey(contentKey, toPublicKey(recipient));
    const open = (expected = toPublicKey(contentKey.key)) => unsealContentKey(sealed, recipient, expected);
    expect(await open()).toEqual(contentKey.key);
    await expect(open(toPublicKey(generateKey('X25519')))).rejects.toThrow('does not match the enrollment');
  });
});
