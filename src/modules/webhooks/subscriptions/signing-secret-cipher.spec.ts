import { DerivedKeyProvider, type Config } from '../../../core/config';
import { SigningSecretCipher } from './signing-secret-cipher';

const createCipher = (...appSecrets: [string, ...string[]]) =>
  new SigningSecretCipher(new DerivedKeyProvider({ appSecrets } as unknown as Config));
const OLD = 'an old application secret, long enough';
const NEW = 'a new application secret, long enough';

describe('SigningSecretCipher', () => {
  const key = Buffer.from('a signing key of thirty-two byte');
  const encrypted = createCipher(OLD).encryptKey(key, 'whk_1');

  it('decrypts with the secret that encrypted the key, also when it is no longer the first', () => {
    expect(createCipher(OLD).decryptKey(encrypted, 'whk_1')).toEqual(key);
    expect(createCipher(NEW, OLD).decryptKey(encrypted, 'whk_1')).toEqual(key);
    expect(createCipher(NEW).decryptKey(encrypted, 'whk_1')).toBeNull();
  });

  it('decrypts for the same webhook only, and rejects changed ciphertext', () => {
    expect(createCipher(OLD).decryptKey(encrypted, 'whk_2')).toBeNull();
    for (let at = 0; at < encrypted.length; at += 7) {
      const changed = Buffer.from(encrypted);
      changed[at]! ^= 1;
      expect(createCipher(OLD).decryptKey(changed, 'whk_1')).toBeNull();
    }
  });

  it('encrypts headers for the same webhook only, and never as its key', () => {
    const headers = { authorization: 'Bearer a token' };
    const sealed = createCipher(OLD).encryptHeaders(headers, 'whk_1')!;
    expect(createCipher(NEW, OLD).decryptHeaders(sealed, 'whk_1')).toEqual(headers);
    expect(createCipher(NEW).decryptHeaders(sealed, 'whk_1')).toBeNull();
    expect(createCipher(OLD).decryptHeaders(sealed, 'whk_2')).toBeNull();
    expect(createCipher(OLD).decryptKey(sealed, 'whk_1')).toBeNull();
    expect(createCipher(OLD).decryptHeaders(encrypted, 'whk_1')).toBeNull();
    expect(sealed.includes('a token')).toBe(false);
    expect(createCipher(OLD).encryptHeaders({}, 'whk_1')).toBeNull();
    expect(createCipher(OLD).decryptHeaders(null, 'whk_1')).toEqual({});
  });

  it('encrypts to a different ciphertext each time, which doesn’t contain the key', () => {
    const again = createCipher(OLD).encryptKey(key, 'whk_1');
    expect(again.equals(encrypted)).toBe(false);
    expect(again.subarray(0, 8)).toEqual(encrypted.subarray(0, 8));
    expect(encrypted.includes(key)).toBe(false);
  });
});
