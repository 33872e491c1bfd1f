import { Injectable, Logger } from '@nestjs/common';
import { TokenVerifier, type Verification } from '../auth';
import { Clock, MINUTE } from '../common/clock';
import { hashToken } from '../common/secret-token';
import { ExternalTokensRepository, type PresentedSecret } from './external-tokens.repository';

/** Whose personal access token this is, and whether it still opens anything. */
@Injectable()
export class ExternalTokenVerifier extends TokenVerifier {
  readonly prefix = 'svc_pat_';
  readonly opens = 'token';
  private readonly logger = new Logger('ExternalTokens');

  constructor(
    private readonly tokens: ExternalTokensRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  async verify(token: string): Promise<Verification> {
    const found = await this.tokens.findBySecret(hashToken(token));
    if (!found) return { ok: false, reason: 'unknown' };
    const now = this.clock.now();
    const ended = found.superseded && (found.ends_at === null || found.ends_at.getTime() <= now);
    if (found.revoked_at || ended) return { ok: false, reason: 'revoked' };
    if (found.expires_at && found.expires_at.getTime() <= now) return { ok: false, reason: 'expired' };
    this.touch(found, now);
    return {
      ok: true,
      principal: {
        kind: 'token',
        type: 'pat',
        accountId: found.account_id,
        tokenId: found.id,
        appId: null,
        scopes: found.scopes,
        name: found.name,
        createdAt: found.created_at.getTime(),
        expiresAt: found.expires_at?.getTime() ?? null,
        lastUsedAt: found.last_used_at?.getTime() ?? null,
      },
    };
  }

  /** Behind the call: that a token was used is no reason to make its caller wait. */
  private touch(token: PresentedSecret, now: number): void {
    const before = now - MINUTE;
    if (token.last_used_at && token.last_used_at.getTime() > before) return;
    this.tokens.touch(token.id, new Date(now), new Date(before)).catch((error: Error) => {
      this.logger.warn({ tokenId: token.id, reason: error.message }, 'last use was not noted');
    });
  }
}
