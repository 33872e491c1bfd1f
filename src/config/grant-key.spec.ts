import { generateKeyPairSync } from 'node:crypto';
import { parseGrantKeys } from './grant-key';

const key = (kid: string) => ({
  ...generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }),
  kid,
});
const one = key('one');

describe('GRANT_KEYS', () => {
  it('are private JWKs in order, the first first', () => {
    const two = { ...key('two'), use: 'enc', alg: 'ECDH-ES+A256KW' };
    const keys = parseGrantKeys(JSON.stringify([two, one]))!;
    expect(keys.map(({ kid }) => kid)).toEqual(['two', 'one']);
    expect(keys[1]).toEqual({
      kid: 'one',
      publicKey: { kty: 'OKP', crv: 'X25519', x: one.x },
      d: one.d,
    });
  });

  it.each<[string, unknown]>([
    ['no key', []],
    ['no list', one],
    ['a key without a kid', [{ ...one, kid: undefined }]],
    ['two keys of one kid', [one, key('one')]],
    ['one key under two kids', [one, { ...one, kid: 'two' }]],
    ['a public key', [{ ...one, d: undefined }]],
    ['an Ed25519 key', [{ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'x' }]],
    ['halves of two keys', [{ ...one, x: key('x').x }]],
    ['a member that means something else', [{ ...one, key_ops: ['sign'] }]],
  ])('are refused with %s', (_, value) => {
    expect(parseGrantKeys(JSON.stringify(value))).toBeNull();
  });

  it('are refused when they are no JSON', () => {
    expect(parseGrantKeys('grant-1')).toBeNull();
  });
});
