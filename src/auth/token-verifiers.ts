import { Inject, Injectable } from '@nestjs/common';
import { isWellFormedToken } from '../common/secret-token';
import { TokenVerifier, type Verification } from './token-verifier';

export const TOKEN_VERIFIERS = Symbol('TOKEN_VERIFIERS');

/** Sends a token to whoever keeps its kind; a wrong form, checksum or kind never reaches the database. */
@Injectable()
export class TokenVerifiers {
  constructor(@Inject(TOKEN_VERIFIERS) private readonly verifiers: readonly TokenVerifier[]) {}

  async verify(token: string, opens: TokenVerifier['opens']): Promise<Verification> {
    const verifier = this.verifiers.find((candidate) => token.startsWith(candidate.prefix));
    if (!verifier || !isWellFormedToken(verifier.prefix, token)) return { ok: false, reason: 'malformed' };
    if (verifier.opens !== opens) return { ok: false, reason: 'unknown' };
    return verifier.verify(token);
  }
}
