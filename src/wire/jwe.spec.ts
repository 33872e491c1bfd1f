import { CompactEncrypt, generateKeyPair } from 'jose';
import { randomBytes } from 'node:crypto';
import { contentFault, sealedKeyFault } from './jwe';

const place = { a: 'acc_1', s: 'tag', m: 1 };
const good = { alg: 'dir', enc: 'A256GCM', kid: 'k1', cty: 'application/json', svc: place };

const content = (header: Record<string, unknown>) =>
  new CompactEncrypt(Buffer.from('{}'))
    .setProtectedHeader(header as { alg: string; enc: string })
    .encrypt(randomBytes(32));

/** A header that jose itself would not write. */
const forged = (text: string, header: object) =>
  [Buffer.from(JSON.stringify(header)).toString('base64url'), ...text.split('.').slice(1)].join('.');

describe('content', () => {
  it('is taken in the exact form, bound to its place', async () => {
    expect(contentFault(await content(good), 'k1', place)).toBeNull();
  });

  it.each([
    ['another key', { ...good, kid: 'k2' }],
    ['another place', { ...good, svc: { ...place, s: 'other' } }],
    ['another version', { ...good, svc: { ...place, m: 2 } }],
    ['more in its place', { ...good, svc: { ...place, x: 1 } }],
    ['no place', { ...good, svc: undefined }],
    ['no media type', { ...good, cty: '' }],
    ['another enc', { ...good, enc: 'A128GCM' }],
    ['another alg', { ...good, alg: 'A256KW' }],
    ['zip', { ...good, zip: 'DEF' }],
    ['crit', { ...good, crit: ['svc'] }],
    ['p2c', { ...good, p2c: 1000 }],
    ['b64', { ...good, b64: false }],
  ])('is refused with %s', async (_, header) => {
    expect(contentFault(forged(await content(good), header), 'k1', place)).not.toBeNull();
  });

  it.each(['', 'a.b.c', 'a.b.c.d.e', '....', 'not base64!.....'])('is refused as %j', (text) => {
    expect(contentFault(text, 'k1', place)).toBe('is not a compact JWE');
  });
});

describe('a sealed key', () => {
  it('is taken with ECDH-ES+A256KW and A256GCM alone', async () => {
    const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519' });
    const seal = (enc: string) =>
      new CompactEncrypt(Buffer.from('{}')).setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc }).encrypt(publicKey);
    const sealed = await seal('A256GCM');
    expect(sealedKeyFault(sealed)).toBeNull();
    expect(sealedKeyFault(await seal('A256CBC-HS512'))).not.toBeNull();
    expect(sealedKeyFault(forged(sealed, { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: {}, zip: 'DEF' }))).toContain(
      'zip',
    );
    expect(sealedKeyFault(await content(good))).not.toBeNull();
    expect(sealedKeyFault(forged(sealed, { alg: 'ECDH-ES+A256KW', enc: 'A256GCM' }))).toContain('epk');
    const [header, , ...rest] = sealed.split('.');
    expect(sealedKeyFault([header, '', ...rest].join('.'))).toContain('wrapped');
  });
});
