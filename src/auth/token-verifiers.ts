import { Inject, Injectable } from '@nestjs/common';
import { hashToken, kindOfToken } from '../common/secret-token';
import { RecentLookUps } from './recent-look-ups';
import { TokenVerifier, type KnownToken, type Verification } from './token-verifier';

export const TOKEN_VERIFIERS = Symbol('TOKEN_VERIFIERS');

type LookUp = (verifier: TokenVerifier, hash: Buffer) => Promise<KnownToken | null>;

/** Sends a token to whoever keeps its kind; a wrong form, checksum or kind never reaches the database. */
@Injectable()
export class TokenVerifiers {
  constructor(
    @Inject(TOKEN_VERIFIERS) private readonly verifiers: readonly TokenVerifier[],
    private readonly recent: RecentLookUps,
  ) {}

  /** By what the database holds now: for what outlives a call, as a socket does that stays open for days. */
  verify(token: string, opens: TokenVerifier['opens']): Promise<Verification> {
    return this.check(token, opens, (verifier, hash) => verifier.lookUp(hash));
  }

  /** For a single call, by a look-up that may be as old as `RecentLookUps` trusts. */
  verifyCall(token: string, opens: TokenVerifier['opens']): Promise<Verification> {
    return this.check(token, opens, (verifier, hash) => this.recent.find(hash, () => verifier.lookUp(hash)));
  }

  private async check(token: string, opens: TokenVerifier['opens'], lookUp: LookUp): Promise<Verification> {
    const kind = kindOfToken(token);
    if (kind === null) return { ok: false, reason: 'malformed' };
    const verifier = this.verifiers.find(({ prefix }) => prefix === kind);
    if (verifier?.opens !== opens) return { ok: false, reason: 'unknown' };
    const known = await lookUp(verifier, hashToken(token));
    return known ? known.judge() : { ok: false, reason: 'unknown' };
  }
}
