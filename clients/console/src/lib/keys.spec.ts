import { computeFingerprint, parsePublicKey } from '@external-api/protocol';
import { createJwkFromSeed, digestFingerprint, generateBrowserKeys, getPublicJwks, importKeyPair } from './keys';

describe('the keys of a browser', () => {
  it('cannot be read out, by any script', async () => {
    const { signing, encryption } = await generateBrowserKeys();
    for (const { privateKey } of [signing, encryption]) {
      expect(privateKey.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow();
    }
  });

  it('have the fingerprint that every other device computes', async () => {
    const keys = await generateBrowserKeys();
    const { publicKey, encryptionKey } = getPublicJwks(keys);
    expect(await digestFingerprint(publicKey, encryptionKey)).toBe(computeFingerprint(publicKey, encryptionKey));
  });

  it('come from a seed as RFC 8037 A.1 has it, and cannot be read out then either', async () => {
    const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
    const jwk = await createJwkFromSeed('Ed25519', Buffer.from(d, 'base64url'));
    expect(jwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', d });
    expect((await importKeyPair(jwk)).privateKey.extractable).toBe(false);
  });

  it.each([
    [{ kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) }],
    [{ kty: 'EC', crv: 'Ed25519', x: 'A'.repeat(43) }],
    [{ kty: 'OKP', crv: 'Ed25519', x: 'A' }],
    [null],
  ])('are not taken from %j', (value) => {
    expect(() => parsePublicKey(value, 'Ed25519')).toThrow('Ed25519');
  });
});
