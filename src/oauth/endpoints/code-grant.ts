import { Injectable } from '@nestjs/common';
import { RecentLookUps } from '../../auth';
import { Clock, DAY } from '../../common/clock';
import { newId } from '../../common/ids';
import { hashToken } from '../../common/secret-token';
import { UnitOfWork } from '../../persistence';
import { InvalidGrant } from '../http/oauth-error';
import { requiredText, type Parameters } from '../http/parameters';
import { CodesRepository, type CodeRow } from '../tokens/codes.repository';
import { isVerifierOf } from '../tokens/pkce';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';
import { TokenIssuer } from '../tokens/token-issuer';
import type { TokenAnswer } from '../tokens/token-record';

const FAMILY_MS = 90 * DAY;

/** A code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). */
@Injectable()
export class CodeGrant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly codes: CodesRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly issuer: TokenIssuer,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest, InvalidGrant */
  async exchange(clientId: string, parameters: Parameters): Promise<TokenAnswer> {
    const code = hashToken(requiredText(parameters, 'code'));
    const redirectUri = requiredText(parameters, 'redirect_uri');
    const verifier = requiredText(parameters, 'code_verifier');
    const result = await this.unitOfWork.run(() => this.redeem(clientId, code, redirectUri, verifier));
    // Thrown here: a refusal may have ended tokens or a code, which has to stay so.
    if (result instanceof InvalidGrant) throw result;
    return result;
  }

  private async redeem(
    clientId: string,
    hash: Buffer,
    redirectUri: string,
    verifier: string,
  ): Promise<TokenAnswer | InvalidGrant> {
    const code = await this.codes.find(clientId, hash);
    if (!code || !(await this.codes.take(hash))) return this.refuseReplay(clientId, hash);
    if (code.expires_at.getTime() <= this.clock.now()) return unusable();
    if (code.redirect_uri !== redirectUri) {
      return new InvalidGrant('redirect_uri is not that of the authorization request.');
    }
    if (!isVerifierOf(code.code_challenge, verifier)) {
      return new InvalidGrant('code_verifier does not match the code_challenge.');
    }
    return this.issue(code, hash);
  }

  /** RFC 6749 §4.1.2: a code that comes twice may have been stolen, so what it gave is taken back. */
  private async refuseReplay(clientId: string, hash: Buffer): Promise<InvalidGrant> {
    const accountId = await this.families.revokeByCode(clientId, hash, this.clock.date());
    if (accountId !== null) this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
    return unusable();
  }

  private async issue({ authorization_id, scopes }: CodeRow, codeHash: Buffer): Promise<TokenAnswer> {
    const id = newId('tok');
    const expiresAt = new Date(this.clock.now() + FAMILY_MS);
    await this.families.insert({
      id,
      authorizationId: authorization_id,
      codeHash,
      scopes,
      expiresAt,
      revokedAt: null,
    });
    return this.issuer.issue(id, scopes, expiresAt);
  }
}

function unusable(): InvalidGrant {
  return new InvalidGrant('The code is unknown, used or expired.');
}
