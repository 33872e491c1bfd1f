import { CompactEncrypt, generateKeyPair } from 'jose';
import { randomBytes } from 'node:crypto';
import { findContentFormatViolation, findSealedKeyFormatViolation } from './jwe';

const binding = { a: 'acc_1', s: 'tag', m: 1 };
const validHeader = { alg: 'dir', enc: 'A256GCM', kid: 'k1', cty: 'application/json', svc: binding };

const createContentJwe = (header: Record<string, unknown>) =>
  new CompactEncrypt(Buffer.from('{}'))
    .setProtectedHeader(header as { alg: string; enc: string })
    .encrypt(randomBytes(32));

/** A header that jose itself would not write. */
const replaceHeader = (text: string, header: object) =>
  [Buffer.from(JSON.stringify(header)).toString('base64url'), ...text.split('.').slice(1)].join('.');

describe('content', () => {
  it('is taken in the exact form, bound to its place', async () => {
    expect(findContentFormatViolation(await createContentJwe(validHeader), 'k1', binding)).toBeNull();
  });

  it.each([
    ['another key', { ...validHeader, kid: 'k2' }],
    ['another place', { ...validHeader, svc: { ...binding, s: 'other' } }],
    ['another version', { ...validHeader, svc: { ...binding, m: 2 } }],
    ['more in its place', { ...validHeader, svc: { ...binding, x: 1 } }],
    ['no place', { ...validHeader, svc: undefined }],
    ['no media type', { ...validHeader, cty: '' }],
    ['another enc', { ...validHeader, enc: 'A128GCM' }],
    ['another alg', { ...validHeader, alg: 'A256KW' }],
    ['zip', { ...validHeader, zip: 'DEF' }],
    ['crit', { ...validHeader, crit: ['svc'] }],
    ['p2c', { ...validHeader, p2c: 1000 }],
    ['b64', { ...validHeader, b64: false }],
  ])('is refused with %s', async (_, header) => {
    expect(
      findContentFormatViolation(replaceHeader(await createContentJwe(validHeader), header), 'k1', binding),
    ).not.toBeNull();
  });

  it.each(['', 'a.b.c', 'a.b.c.d.e', '....', 'not base64!.....'])('is refused as %j', (text) => {
    expect(findContentFormatViolation(text, 'k1', binding)).toBe('is not a compact JWE');
  });
});

describe('a sealed key', () => {
  it('is taken with ECDH-ES+A256KW and A256GCM alone', async () => {
    const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519' });
    const seal = (enc: string) =>
      new CompactEncrypt(Buffer.from('{}')).setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc }).encrypt(publicKey);
    const sealed = await seal('A256GCM');
    expect(findSealedKeyFormatViolation(sealed)).toBeNull();
    expect(findSealedKeyFormatViolation(await seal('A256CBC-HS512'))).not.toBeNull();
    expect(
      findSealedKeyFormatViolation(
        replaceHeader(sealed, { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: {}, zip: 'DEF' }),
      ),
    ).toContain('zip');
    expect(findSealedKeyFormatViolation(await createContentJwe(validHeader))).not.toBeNull();
    expect(findSealedKeyFormatViolation(replaceHeader(sealed, { alg: 'ECDH-ES+A256KW', enc: 'A256GCM' }))).toContain(
      'epk',
    );
    const [header, , ...rest] = sealed.split('.');
    expect(findSealedKeyFormatViolation([header, '', ...rest].join('.'))).toContain('wrapped');
  });
});
