import { exportJWK, generateKeyPair } from 'jose';
import { parseRecipientPublicKey } from './recipient-key';

const generateJwkPair = async (crv: 'X25519' | 'P-256') => {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv, extractable: true });
  return { publicKey: await exportJWK(pair.publicKey), privateKey: await exportJWK(pair.privateKey) };
};
const parseJwk = (value: unknown) => parseRecipientPublicKey(JSON.stringify(value));

describe('a recipient', () => {
  it.each(['X25519', 'P-256'] as const)('is a public key on %s, without what a grant does not need', async (crv) => {
    const { publicKey } = await generateJwkPair(crv);
    await expect(parseJwk(publicKey)).resolves.toEqual(publicKey);
    await expect(
      parseJwk({ ...publicKey, kid: 'k1', use: 'enc', alg: 'ECDH-ES+A256KW', comment: 'mine' }),
    ).resolves.toEqual({
      ...publicKey,
      kid: 'k1',
    });
  });

  it.each(['X25519', 'P-256'] as const)('is never a private key on %s', async (crv) => {
    const { privateKey } = await generateJwkPair(crv);
    await expect(parseJwk(privateKey)).rejects.toThrow('Use its public key, without "d"');
  });

  it('has a kid of 1 to 128 visible characters, if it has one', async () => {
    const { publicKey } = await generateJwkPair('X25519');
    for (const kid of ['!', '~'.repeat(128)])
      await expect(parseJwk({ ...publicKey, kid })).resolves.toEqual({ ...publicKey, kid });
    for (const kid of ['', '~'.repeat(129), 'a b', 'a\n', 'é', 7, null])
      await expect(parseJwk({ ...publicKey, kid })).rejects.toThrow('Its "kid" must have 1 to 128 visible characters.');
  });

  it.each([
    ['', 'not a JSON Web Key'],
    ['null', 'not a JSON Web Key'],
    ['"service"', 'not a JSON Web Key'],
    ['{"keys":[]}', 'a JWK set'],
    ['{"kty":"oct","k":"AA"}', 'a private key'],
    ['{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}', 'not a key on X25519'],
    ['{"kty":"RSA","n":"AQAB","e":"AQAB"}', 'not a key on X25519'],
    ['{"kty":"OKP","crv":"X25519","x":"AAAA"}', 'not a valid point on X25519'],
    ['{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}', 'not a valid point on P-256'],
    ['{"kty":"OKP","crv":"X25519","use":"sig"}', 'not an encryption key'],
  ])('is not %s', (text, message) => expect(parseRecipientPublicKey(text)).rejects.toThrow(message));
});
