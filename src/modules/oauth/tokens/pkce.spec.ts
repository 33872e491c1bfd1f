import { createHash } from 'node:crypto';
import { isCodeChallenge, isMatchingCodeVerifier } from './pkce';

describe('PKCE', () => {
  // RFC 7636, Appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');

  it('agrees with the example of its RFC', () => {
    expect(isCodeChallenge(challenge)).toBe(true);
    expect(isMatchingCodeVerifier(challenge, verifier)).toBe(true);
  });

  it.each([verifier.slice(0, -1) + 'l', challenge, '', verifier.toUpperCase()])('refuses %j', (other) => {
    expect(isMatchingCodeVerifier(challenge, other)).toBe(false);
  });

  it('takes 43 to 128 unreserved characters, whatever their hash (RFC 7636 §4.1)', () => {
    for (const [length, taken] of [
      [42, false],
      [43, true],
      [128, true],
      [129, false],
    ] as const) {
      const text = 'a'.repeat(length);
      expect(isMatchingCodeVerifier(challengeOf(text), text)).toBe(taken);
    }
    const odd = `${'a'.repeat(42)}+`;
    expect(isMatchingCodeVerifier(challengeOf(odd), odd)).toBe(false);
  });
});
