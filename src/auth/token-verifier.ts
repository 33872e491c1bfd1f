import type { TokenPrefix } from '../common/secret-token';
import type { Principal } from './principal';

export type InvalidTokenReason = 'malformed' | 'expired' | 'revoked' | 'unknown';

export type Verification = { ok: true; principal: Principal } | { ok: false; reason: InvalidTokenReason };

/**
 * Port: whoever keeps a kind of token says whose it is. Implemented above this module and bound in the
 * application module, so that `auth` knows no table.
 */
export abstract class TokenVerifier {
  abstract readonly prefix: TokenPrefix;
  /** Which paths take it. */
  abstract readonly opens: 'token' | 'device';
  /** @param token well-formed, checksum included */
  abstract verify(token: string): Promise<Verification>;
}

/** Port: told of each call whose credential failed; throws `rate_limited` when an address has had too many. */
export abstract class FailedAttempts {
  abstract record(address: string): Promise<void>;
}
