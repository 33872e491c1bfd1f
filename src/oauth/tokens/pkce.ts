import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in base64url without padding: 43 characters (RFC 7636 §4.2). */
export function isChallenge(challenge: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(challenge);
}

/** Whether the verifier is the one behind the challenge, and of the form that RFC 7636 §4.1 asks for. */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const made = createHash('sha256').update(verifier).digest('base64url');
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge));
}
