import type { TokenPrefix } from '../common/secret-token';
import type { Principal } from './principal';

export type InvalidTokenReason = 'malformed' | 'expired' | 'revoked' | 'unknown';

export type Verification = { ok: true; principal: Principal } | { ok: false; reason: InvalidTokenReason };

/** A token of which the database knew, as it was when it was looked up. */
export interface KnownToken {
  accountId: string;
  /** For one call, by the clock of that call: it may have ended since it was looked up. */
  judge(): Verification;
}

/**
 * Port: whoever keeps a kind of token says whose it is. Implemented above this module and bound in the
 * application module, so that `auth` knows no table.
 */
export abstract class TokenVerifier {
  abstract readonly prefix: TokenPrefix;
  /** Which paths take it. */
  abstract readonly opens: 'token' | 'device';
  /** @param hash SHA-256 of a well-formed token; null for one of which nothing is known */
  abstract lookUp(hash: Buffer): Promise<KnownToken | null>;
}

/** Port: told of each call whose credential failed; throws `rate_limited` when an address has had too many. */
export abstract class FailedAttempts {
  abstract record(address: string): Promise<void>;
}
