import { Injectable } from '@nestjs/common';
import { callerAccountOf } from '../../accounts';
import { isAppScope, LastUse, TokenVerifier, type KnownToken, type UsedRow, type Verification } from '../../auth';
import { Clock } from '../../common/clock';
import { AppAuthorizations } from '../../developer-apps';
import { AccessTokensRepository, type AccessTokenRow } from './access-tokens.repository';

type LiveRow = AccessTokenRow & UsedRow & { account_id: string; app_id: string; app_name: string };

/** For whom an app's access token acts, and whether it still does. */
@Injectable()
export class OAuthTokenVerifier extends TokenVerifier {
  readonly prefix = 'svc_oat_';
  readonly opens = 'token';

  constructor(
    private readonly tokens: AccessTokensRepository,
    private readonly authorizations: AppAuthorizations,
    private readonly lastUse: LastUse,
    private readonly clock: Clock,
  ) {
    super();
  }

  async lookUp(hash: Buffer): Promise<KnownToken | null> {
    const found = await this.tokens.find(hash);
    // One whose authorization has ended is nobody's any more.
    return found ? { accountId: found.account_id ?? '', judge: () => this.judge(found) } : null;
  }

  private judge(found: AccessTokenRow): Verification {
    if (found.ended || !isLive(found)) return { ok: false, reason: 'revoked' };
    if (found.expires_at.getTime() <= this.clock.now()) return { ok: false, reason: 'expired' };
    const lastUsedAt = found.last_used_at?.getTime() ?? null;
    this.lastUse.note(found, (id, now, before) => this.authorizations.touch(id, now, before));
    return {
      ok: true,
      principal: {
        kind: 'token',
        type: 'oauth',
        accountId: found.account_id,
        account: callerAccountOf(found),
        tokenId: found.family_id,
        appId: found.app_id,
        // No app runs commands, whatever a table may come to say.
        scopes: found.scopes.filter(isAppScope),
        name: found.app_name,
        createdAt: found.created_at.getTime(),
        expiresAt: found.expires_at.getTime(),
        lastUsedAt,
      },
    };
  }
}

function isLive(row: AccessTokenRow): row is LiveRow {
  return row.id !== null;
}
