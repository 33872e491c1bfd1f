import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { createPublicKey } from 'node:crypto';
import { generateContentKey, sealContentKey, unsealContentKey } from './content-key';
import { generateDataKey } from './data-key';
import { generateKey, publicPart } from './keys';
import { sealJwk, unsealJwk } from './sealing';

const recipient = generateKey('X25519');

describe('a sealed key', () => {
  it('has exactly the header of the contract and opens for its recipient only', async () => {
    const sealed = await sealJwk({ kty: 'oct', k: 'AA' }, publicPart(recipient));
    expect(decodeProtectedHeader(sealed)).toEqual({
      alg: 'ECDH-ES+A256KW',
      enc: 'A256GCM',
      epk: expect.any(Object),
    });
    expect(await unsealJwk(sealed, recipient)).toEqual({ kty: 'oct', k: 'AA' });
    await expect(unsealJwk(sealed, generateKey('X25519'))).rejects.toThrow();
  });

  it.each([
    { alg: 'ECDH-ES', enc: 'A256GCM' },
    { alg: 'ECDH-ES+A256KW', enc: 'A128GCM' },
    { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', svc: 'x' },
  ])('is refused with %j', async (header) => {
    const key = createPublicKey({ key: { ...publicPart(recipient) }, format: 'jwk' });
    const sealed = await new CompactEncrypt(Buffer.from('{}')).setProtectedHeader(header).encrypt(key);
    await expect(unsealJwk(sealed, recipient)).rejects.toThrow();
  });

  it('is a data key of 256 bits with its kid', async () => {
    const dataKey = await generateDataKey(publicPart(recipient));
    const jwk = { kty: 'oct', k: dataKey.k, kid: dataKey.kid };
    expect(await unsealJwk(dataKey.sealed, recipient)).toEqual(jwk);
    expect(Buffer.from(dataKey.k, 'base64url')).toHaveLength(32);
  });
});

describe('a sealed content key', () => {
  it('comes back whole, and only where it is the one that was vouched for', async () => {
    const contentKey = generateContentKey();
    const sealed = await sealContentKey(contentKey, publicPart(recipient));
    const open = (expected = publicPart(contentKey.key)) => unsealContentKey(sealed, recipient, expected);
    expect(await open()).toEqual(contentKey.key);
    await expect(open(publicPart(generateKey('X25519')))).rejects.toThrow('not the one of the enrollment');
  });
});
