import { Injectable } from '@nestjs/common';
import { TokenCache } from '../../../access/auth';
import { Clock, DAY } from '../../../common/clock';
import { generateId } from '../../../common/ids';
import { hashSecretToken } from '../../../common/secret-token';
import { UnitOfWork } from '../../../core/database';
import { InvalidGrantError } from '../http/oauth-error';
import { requireParameter, type FormParameters } from '../http/form-parameters';
import { AuthorizationCodesRepository, type AuthorizationCodeRow } from '../tokens/authorization-codes.repository';
import { isMatchingCodeVerifier } from '../tokens/pkce';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';
import { OAuthTokensService } from '../tokens/oauth-tokens.service';
import type { TokenAnswerDto } from '../tokens/token-answer.dto';

const TOKEN_FAMILY_LIFETIME_MS = 90 * DAY;

/** Exchanges authorization codes for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). */
@Injectable()
export class AuthorizationCodeGrantHandler {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly codes: AuthorizationCodesRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly tokensService: OAuthTokensService,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {InvalidRequestError}
   * @throws {InvalidGrantError}
   */
  async exchangeCode(clientId: string, formParameters: FormParameters): Promise<TokenAnswerDto> {
    const codeHash = hashSecretToken(requireParameter(formParameters, 'code'));
    const redirectUri = requireParameter(formParameters, 'redirect_uri');
    const verifier = requireParameter(formParameters, 'code_verifier');
    const result = await this.unitOfWork.runInTransaction(() =>
      this.redeemCode(clientId, codeHash, redirectUri, verifier),
    );
    // Thrown after the commit: a failure may have revoked tokens or consumed a code, which must persist.
    if (result instanceof InvalidGrantError) throw result;
    return result;
  }

  private async redeemCode(
    clientId: string,
    hash: Buffer,
    redirectUri: string,
    verifier: string,
  ): Promise<TokenAnswerDto | InvalidGrantError> {
    const code = await this.codes.findAndLockAuthorization(clientId, hash);
    if (!code || !(await this.codes.consumeCode(hash))) return this.revokeReplayedCodeTokens(clientId, hash);
    if (code.expires_at.getTime() <= this.clock.now()) return createUnusableCodeError();
    if (code.redirect_uri !== redirectUri) {
      return new InvalidGrantError('redirect_uri does not match the authorization request.');
    }
    if (!isMatchingCodeVerifier(code.code_challenge, verifier)) {
      return new InvalidGrantError('code_verifier does not match the code_challenge.');
    }
    return this.issueFamilyTokens(code, hash);
  }

  /** Revokes the tokens issued for a code that is used again, since it may have been stolen (RFC 6749 §4.1.2). */
  private async revokeReplayedCodeTokens(clientId: string, hash: Buffer): Promise<InvalidGrantError> {
    const accountId = await this.families.revokeByCode(clientId, hash, this.clock.currentDate());
    if (accountId !== null) this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    return createUnusableCodeError();
  }

  private async issueFamilyTokens(
    { authorization_id, scopes }: AuthorizationCodeRow,
    codeHash: Buffer,
  ): Promise<TokenAnswerDto> {
    const id = generateId('tok');
    const expiresAt = new Date(this.clock.now() + TOKEN_FAMILY_LIFETIME_MS);
    await this.families.insert({
      id,
      authorizationId: authorization_id,
      codeHash,
      scopes,
      expiresAt,
      revokedAt: null,
    });
    return this.tokensService.issueTokens(id, scopes, expiresAt);
  }
}

function createUnusableCodeError(): InvalidGrantError {
  return new InvalidGrantError('The code is unknown, used or expired.');
}
