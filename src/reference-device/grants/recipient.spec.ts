import { exportJWK, generateKeyPair } from 'jose';
import { parseRecipient } from './recipient';

const keyPair = async (crv: 'X25519' | 'P-256') => {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv, extractable: true });
  return { publicKey: await exportJWK(pair.publicKey), privateKey: await exportJWK(pair.privateKey) };
};
const parse = (value: unknown) => parseRecipient(JSON.stringify(value));

describe('a recipient', () => {
  it.each(['X25519', 'P-256'] as const)('is a public key on %s, without what a grant does not need', async (crv) => {
    const { publicKey } = await keyPair(crv);
    expect(parse(publicKey)).toEqual(publicKey);
    expect(parse({ ...publicKey, kid: 'k1', use: 'enc', alg: 'ECDH-ES+A256KW', comment: 'mine' })).toEqual({
      ...publicKey,
      kid: 'k1',
    });
  });

  it.each(['X25519', 'P-256'] as const)('is never a private key on %s', async (crv) => {
    const { privateKey } = await keyPair(crv);
    expect(() => parse(privateKey)).toThrow('give its public half, without "d"');
  });

  it.each([
    ['', 'no JSON Web Key'],
    ['null', 'no JSON Web Key'],
    ['"service"', 'no JSON Web Key'],
    ['{"keys":[]}', 'a set of keys'],
    ['{"kty":"oct","k":"AA"}', 'a private key'],
    ['{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}', 'no key on X25519'],
    ['{"kty":"RSA","n":"AQAB","e":"AQAB"}', 'no key on X25519'],
    ['{"kty":"OKP","crv":"X25519","x":"AAAA"}', 'no point on X25519'],
    ['{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}', 'no point on P-256'],
    ['{"kty":"OKP","crv":"X25519","use":"sig"}', 'not a key for encryption'],
  ])('is not %s', (text, message) => expect(() => parseRecipient(text)).toThrow(message));
});
