import { Injectable } from '@nestjs/common';
import { TokenCache } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { hashSecretToken } from '../../../common/secret-token';
import { AccessTokensRepository } from '../tokens/access-tokens.repository';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';

/** Revokes the client's own tokens (RFC 7009 §2.1). */
@Injectable()
export class TokenRevocationService {
  constructor(
    private readonly accessTokens: AccessTokensRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
  ) {}

  /**
   * Revokes an access token, or the whole family of a refresh token. Ignores tokens of other clients. The prefix
   * identifies the token type, so `token_type_hint` is not needed.
   */
  async revokeToken(clientId: string, token: string): Promise<void> {
    const hash = hashSecretToken(token);
    const now = this.clock.currentDate();
    const accountId = token.startsWith('svc_ort_')
      ? await this.families.revokeByRefreshToken(clientId, hash, now)
      : await this.accessTokens.revokeByHash(clientId, hash, now);
    if (accountId !== null) this.tokenCache.invalidateAccount(accountId);
  }
}
