import type { TokenPrefix } from '../../common/secret-token';
import type { Principal } from './principal';
import type { Scope } from './scopes';

export type InvalidTokenReason = 'malformed' | 'expired' | 'revoked' | 'unknown';

export type TokenVerification = { ok: true; principal: Principal } | { ok: false; reason: InvalidTokenReason };

/** Stored token, as read by a lookup. */
export interface KnownToken {
  accountId: string;
  /**
   * Evaluates the token at the current time, because it may have expired since the lookup.
   * @param address client address of the call; null for a check that no call has caused, which is not a use
   */
  evaluate(address?: string | null): TokenVerification;
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

/** Secret that the service has issued, as an operator sees it. Times are in Unix ms. */
export interface IssuedToken {
  kind: 'personal_access_token' | 'oauth_access_token' | 'oauth_refresh_token' | 'device_token' | 'client_secret';
  /** Null if the secret belongs to no account any more. */
  accountId: string | null;
  /** Id of the token, of the app's sign-in, of the device or of the client secret. */
  id: string;
  /** Name of the token, the app or the device. */
  name: string | null;
  /** Client id of the app, null if it has none. */
  appId: string | null;
  /** Null for secrets whose rights aren't scopes. */
  scopes: readonly Scope[] | null;
  state: 'active' | 'expired' | 'revoked';
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string | null;
}

/** Finds and revokes one kind of secret by its text, for operators who were told of a leak. */
export interface TokenIssuer {
  /** @param token well-formed secret of this kind. Returns null if it is unknown. */
  findIssuedToken: (token: string) => Promise<IssuedToken | null>;
  /** Revokes the secret like a call of its owner. Does nothing if it is unknown or not active. */
  revokeIssuedToken: (token: string) => Promise<void>;
}

/**
 * Port that counts calls with invalid credentials, implemented by `rate-limiting`. Throws 429 `rate_limited` if an
 * address has too many.
 */
export abstract class AuthenticationFailureRecorder {
  abstract recordFailure(address: string): Promise<void>;
}
