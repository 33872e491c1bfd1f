import { createHash, timingSafeEqual } from 'node:crypto';

/** Computes a code challenge: SHA-256 in base64url without padding, 43 characters (RFC 7636 §4.2). */
export function isCodeChallenge(challenge: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(challenge);
}

/** Returns whether the verifier matches the challenge and has the format of RFC 7636 §4.1. */
export function isMatchingCodeVerifier(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const computedChallenge = createHash('sha256').update(verifier).digest('base64url');
  return (
    computedChallenge.length === challenge.length &&
    timingSafeEqual(Buffer.from(computedChallenge), Buffer.from(challenge))
  );
}
