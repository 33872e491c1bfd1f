import { formatRecoveryKey } from '@external-api/protocol';
import { computeDeviceFingerprint } from './keys';
import { generateRecoveryKey, deriveRecoveryKeys } from './recovery-key';

describe('the recovery key', () => {
  it('is 52 characters in 13 groups of four and never the same', () => {
    expect(generateRecoveryKey()).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){12}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(generateRecoveryKey()).not.toBe(generateRecoveryKey());
  });

  it('gives the same keys however it is typed', () => {
    const key = generateRecoveryKey();
    const typed = ` ${key.toLowerCase().replaceAll('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o')}\n`;
    expect(deriveRecoveryKeys(typed)).toEqual(deriveRecoveryKeys(key));
  });

  // Fixed once and for all: a change here locks out everybody who holds a recovery key.
  it('gives these keys for the bytes 0 to 31', () => {
    const key = formatRecoveryKey(Uint8Array.from({ length: 32 }, (_, index) => index));
    expect(key).toMatchInlineSnapshot(`"000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFG"`);
    const { signing, encryption } = deriveRecoveryKeys(key);
    expect(signing).toMatchInlineSnapshot(`
     {
       "crv": "Ed25519",
       "d": "MeepZTN2WJDegA1wTBVaqs9DbFAGpOiILyGtIPPBnVM",
       "kty": "OKP",
       "x": "HP5hDvu68Y7YlSRjWFkzFtyJ5MEQ6VcM8-kNsJ3U6ec",
     }
    `);
    expect(encryption).toMatchInlineSnapshot(`
     {
       "crv": "X25519",
       "d": "kfwj5EXJhNT7rBEetxQmEBcQO49tFqhZyOZjOtBDx2Y",
       "kty": "OKP",
       "x": "NwRH9RT037xGJTkdvr5rqAcuctGbc8POJt0WGI4xihQ",
     }
    `);
    expect(computeDeviceFingerprint({ signing, encryption })).toMatchInlineSnapshot(`"56MS-4AJ5-3KDG-4Q24"`);
  });

  it.each(['', 'ABCD', generateRecoveryKey().slice(0, -5), `${generateRecoveryKey()}00`, 'U'.repeat(52)])(
    'refuses %j',
    (text) => expect(() => deriveRecoveryKeys(text)).toThrow(),
  );
});
