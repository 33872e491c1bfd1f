import { generateKey } from '@external-api/protocol';
import { parseGrantKeys } from './grant-key';

const createJwk = (kid: string) => ({ ...generateKey('X25519'), kid });
const firstJwk = createJwk('one');

describe('GRANT_KEYS', () => {
  it('are private JWKs in order, the first first', () => {
    const two = { ...createJwk('two'), use: 'enc', alg: 'ECDH-ES+A256KW' };
    const keys = parseGrantKeys(JSON.stringify([two, firstJwk]))!;
    expect(keys.map(({ kid }) => kid)).toEqual(['two', 'one']);
    expect(keys[1]).toEqual({
      kid: 'one',
      publicKey: { kty: 'OKP', crv: 'X25519', x: firstJwk.x },
      d: firstJwk.d,
    });
  });

  it.each<[string, unknown]>([
    ['no key', []],
    ['no list', firstJwk],
    ['a key without a kid', [{ ...firstJwk, kid: undefined }]],
    ['two keys of one kid', [firstJwk, createJwk('one')]],
    ['one key under two kids', [firstJwk, { ...firstJwk, kid: 'two' }]],
    ['a public key', [{ ...firstJwk, d: undefined }]],
    ['an Ed25519 key', [{ ...generateKey('Ed25519'), kid: 'x' }]],
    ['halves of two keys', [{ ...firstJwk, x: createJwk('x').x }]],
    ['a member that means something else', [{ ...firstJwk, key_ops: ['sign'] }]],
  ])('are refused with %s', (_, value) => {
    expect(parseGrantKeys(JSON.stringify(value))).toBeNull();
  });

  it('are refused when they are no JSON', () => {
    expect(parseGrantKeys('grant-1')).toBeNull();
  });
});
