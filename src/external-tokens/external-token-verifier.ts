import { Injectable } from '@nestjs/common';
import { callerAccountOf } from '../accounts';
import { LastUse, TokenVerifier, type KnownToken, type Verification } from '../auth';
import { Clock } from '../common/clock';
import { ExternalTokensRepository, type PresentedSecret } from './external-tokens.repository';

/** Whose personal access token this is, and whether it still opens anything. */
@Injectable()
export class ExternalTokenVerifier extends TokenVerifier {
  readonly prefix = 'svc_pat_';
  readonly opens = 'token';

  constructor(
    private readonly tokens: ExternalTokensRepository,
    private readonly lastUse: LastUse,
    private readonly clock: Clock,
  ) {
    super();
  }

  async lookUp(hash: Buffer): Promise<KnownToken | null> {
    const found = await this.tokens.findBySecret(hash);
    return found ? { accountId: found.account_id, judge: () => this.judge(found) } : null;
  }

  private judge(found: PresentedSecret): Verification {
    const now = this.clock.now();
    const ended = found.superseded && (found.ends_at === null || found.ends_at.getTime() <= now);
    if (found.revoked_at || ended) return { ok: false, reason: 'revoked' };
    if (found.expires_at && found.expires_at.getTime() <= now) return { ok: false, reason: 'expired' };
    const lastUsedAt = found.last_used_at?.getTime() ?? null;
    this.lastUse.note(found, (id, at, before) => this.tokens.touch(id, at, before));
    return {
      ok: true,
      principal: {
        kind: 'token',
        type: 'pat',
        accountId: found.account_id,
        account: callerAccountOf(found),
        tokenId: found.id,
        appId: null,
        scopes: found.scopes,
        name: found.name,
        createdAt: found.created_at.getTime(),
        expiresAt: found.expires_at?.getTime() ?? null,
        lastUsedAt,
      },
    };
  }
}
