import { decodeCrockford, RECOVERY_KEY_BYTES } from '@external-api/protocol';
import { digestFingerprint } from './keys';
import { generateRecoveryKeyText, importRecoveryKeys } from './recovery-key';

/** Of the bytes 0 to 31. */
const PRINTED = '000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFG';

describe('a recovery key in the browser', () => {
  it('is 13 groups of four characters that decode to 32 bytes', () => {
    const text = generateRecoveryKeyText();
    expect(text).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){12}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(decodeCrockford(text)).toHaveLength(RECOVERY_KEY_BYTES);
  });

  // The same keys as in clients/device/src/recovery-key.spec.ts.
  it.each([
    ['as printed', PRINTED],
    ['in lower case, with spaces', PRINTED.toLowerCase().replaceAll('-', ' ')],
    ['with look-alikes', PRINTED.replaceAll('0', 'O').replaceAll('1', 'l')],
  ])('gives the keys that other devices derive, typed %s', async (_, typed) => {
    const { signing, encryption } = await importRecoveryKeys(typed);
    expect(signing.publicJwk.x).toBe('HP5hDvu68Y7YlSRjWFkzFtyJ5MEQ6VcM8-kNsJ3U6ec');
    expect(encryption.publicJwk.x).toBe('NwRH9RT037xGJTkdvr5rqAcuctGbc8POJt0WGI4xihQ');
    expect(await digestFingerprint(signing.publicJwk, encryption.publicJwk)).toBe('56MS-4AJ5-3KDG-4Q24');
    expect(signing.privateKey.extractable).toBe(false);
  });

  it('names the character that it cannot contain', async () => {
    await expect(importRecoveryKeys('ABU')).rejects.toThrow('The key can’t contain “U”.');
  });

  it('is refused when it is too short', async () => {
    await expect(importRecoveryKeys('ABCD-EFGH')).rejects.toThrow('52 letters and digits');
  });
});
