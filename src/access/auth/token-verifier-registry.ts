import { Injectable } from '@nestjs/common';
import { hashSecretToken, getTokenPrefix } from '../../common/secret-token';
import { TokenCache } from './token-cache';
import { TokenVerifier, type KnownToken, type TokenVerification } from './token-verifier';

type TokenLookup = (verifier: TokenVerifier, hash: Buffer) => Promise<KnownToken | null>;

/** Selects the verifier by the token's prefix. A malformed token or a wrong prefix never reaches the database. */
@Injectable()
export class TokenVerifierRegistry {
  private readonly verifiers: TokenVerifier[] = [];

  constructor(private readonly tokenCache: TokenCache) {}

  /** Adds the verifier of a kind of token. Tokens without a verifier are unknown. */
  registerVerifier(verifier: TokenVerifier): void {
    this.verifiers.push(verifier);
  }

  /** Reads the database. For uses that outlive a call, such as a socket that stays open for days. */
  verifyToken(token: string, audience: TokenVerifier['audience']): Promise<TokenVerification> {
    return this.evaluateToken(token, audience, (verifier, hash) => verifier.findToken(hash));
  }

  /** Uses `TokenCache`. For single calls. @param address client address of the call */
  verifyCallToken(token: string, audience: TokenVerifier['audience'], address?: string): Promise<TokenVerification> {
    const findToken: TokenLookup = (verifier, hash) => this.tokenCache.getOrLoad(hash, () => verifier.findToken(hash));
    return this.evaluateToken(token, audience, findToken, address);
  }

  /**
   * Reads the database once for each kind of token. For streams, which stay open for minutes: each was opened by a
   * call, so that these checks are no uses.
   */
  async verifyTokens(tokens: ReadonlySet<string>): Promise<Map<string, TokenVerification>> {
    const verifications = new Map<string, TokenVerification>();
    for (const verifier of this.verifiers) {
      const hashes = new Map(
        [...tokens].flatMap((token) =>
          getTokenPrefix(token) === verifier.prefix ? [[token, hashSecretToken(token)] as const] : [],
        ),
      );
      const knownTokens = hashes.size > 0 ? await verifier.findTokens([...hashes.values()]) : null;
      for (const [token, hash] of hashes) {
        verifications.set(
          token,
          knownTokens?.get(hash.toString('base64'))?.evaluate(null) ?? { ok: false, reason: 'unknown' },
        );
      }
    }
    return verifications;
  }

  private async evaluateToken(
    token: string,
    audience: TokenVerifier['audience'],
    findToken: TokenLookup,
    address?: string,
  ): Promise<TokenVerification> {
    const kind = getTokenPrefix(token);
    if (kind === null) return { ok: false, reason: 'malformed' };
    const verifier = this.verifiers.find(({ prefix }) => prefix === kind);
    if (verifier?.audience !== audience) return { ok: false, reason: 'unknown' };
    const known = await findToken(verifier, hashSecretToken(token));
    return known ? known.evaluate(address) : { ok: false, reason: 'unknown' };
  }
}
