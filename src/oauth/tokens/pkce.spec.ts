import { createHash } from 'node:crypto';
import { isChallenge, isVerifierOf } from './pkce';

describe('PKCE', () => {
  // RFC 7636, Appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');

  it('agrees with the example of its RFC', () => {
    expect(isChallenge(challenge)).toBe(true);
    expect(isVerifierOf(challenge, verifier)).toBe(true);
  });

  it.each([verifier.slice(0, -1) + 'l', challenge, '', verifier.toUpperCase()])('refuses %j', (other) => {
    expect(isVerifierOf(challenge, other)).toBe(false);
  });

  it('takes 43 to 128 unreserved characters, whatever their hash (RFC 7636 §4.1)', () => {
    for (const [length, taken] of [
      [42, false],
      [43, true],
      [128, true],
      [129, false],
    ] as const) {
      const text = 'a'.repeat(length);
      expect(isVerifierOf(challengeOf(text), text)).toBe(taken);
    }
    const odd = `${'a'.repeat(42)}+`;
    expect(isVerifierOf(challengeOf(odd), odd)).toBe(false);
  });
});
