import type { TokenPrefix } from '../../common/secret-token';
import type { Principal } from './principal';

export type InvalidTokenReason = 'malformed' | 'expired' | 'revoked' | 'unknown';

export type TokenVerification = { ok: true; principal: Principal } | { ok: false; reason: InvalidTokenReason };

/** Stored token, as read by a lookup. */
export interface KnownToken {
  accountId: string;
  /**
   * Evaluates the token at the current time, because it may have expired since the lookup.
   * @param address client address of the call
   */
  evaluate(address?: string): TokenVerification;
}

/**
 * Port that looks up one kind of token. The modules that own the tables implement it and register in
 * `TokenVerifierRegistry`, so that `auth` depends on no table.
 */
export abstract class TokenVerifier {
  abstract readonly prefix: TokenPrefix;
  /** Kind of routes that accept the token. */
  abstract readonly audience: 'token' | 'device';
  /** @param hash SHA-256 of a well-formed token. Returns null if the token is unknown. */
  abstract findToken(hash: Buffer): Promise<KnownToken | null>;
  /** Returns the known tokens of these hashes, by hash in base64, in one look-up. */
  abstract findTokens(hashes: readonly Buffer[]): Promise<Map<string, KnownToken>>;
}

/**
 * Port that counts calls with invalid credentials, implemented by `rate-limiting`. Throws 429 `rate_limited` if an
 * address has too many.
 */
export abstract class AuthenticationFailureRecorder {
  abstract recordFailure(address: string): Promise<void>;
}
