import { Injectable } from '@nestjs/common';
import { RecentLookUps } from '../../auth';
import { Clock } from '../../common/clock';
import { hashToken } from '../../common/secret-token';
import { AccessTokensRepository } from '../tokens/access-tokens.repository';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';

/** Ends tokens for the client that has them (RFC 7009 §2.1). */
@Injectable()
export class Revocation {
  constructor(
    private readonly accessTokens: AccessTokensRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  /**
   * A refresh token takes its family along, an access token goes alone; what is not the client's stays as it is. The
   * prefix tells which it is, so `token_type_hint` is not needed.
   */
  async revoke(clientId: string, token: string): Promise<void> {
    const hash = hashToken(token);
    const now = this.clock.date();
    const accountId = token.startsWith('svc_ort_')
      ? await this.families.revokeByRefreshToken(clientId, hash, now)
      : await this.accessTokens.revoke(clientId, hash, now);
    if (accountId !== null) this.lookUps.forget(accountId);
  }
}
