import { Injectable } from '@nestjs/common';
import { toCallerAccount } from '../../accounts';
import {
  isAppScope,
  LastUsedRecorder,
  RowTokenVerifier,
  TokenVerifierRegistry,
  type LastUsedRow,
  type TokenPrincipal,
} from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { AppAuthorizationsService } from '../../developer-apps';
import { AccessTokensRepository, type AccessTokenRow } from './access-tokens.repository';

type AuthorizedTokenRow = AccessTokenRow & LastUsedRow & { account_id: string; app_id: string; app_name: string };

/** Verifies access tokens of apps (`svc_oat_…`), which depend on the authorization by the account. */
@Injectable()
export class OAuthTokenVerifier extends RowTokenVerifier<AccessTokenRow> {
  readonly prefix = 'svc_oat_';
  readonly audience = 'token';

  constructor(
    private readonly tokens: AccessTokensRepository,
    private readonly authorizations: AppAuthorizationsService,
    private readonly lastUsedRecorder: LastUsedRecorder,
    tokenVerifiers: TokenVerifierRegistry,
    clock: Clock,
  ) {
    super(tokenVerifiers, clock);
  }

  protected findRows(hashes: readonly Buffer[]): Promise<AccessTokenRow[]> {
    return this.tokens.findByHashes(hashes);
  }

  protected toPrincipal(row: AccessTokenRow): TokenPrincipal | null {
    if (row.ended || !hasAuthorization(row)) return null;
    return {
      kind: 'token',
      type: 'oauth',
      accountId: row.account_id,
      account: toCallerAccount(row),
      tokenId: row.family_id,
      appId: row.app_id,
      // Apps never run commands, even if a row lists the scope.
      scopes: row.scopes.filter(isAppScope),
      machineIds: null,
      name: row.app_name,
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      lastUsedAt: row.last_used_at?.getTime() ?? null,
    };
  }

  protected override recordUse(row: AccessTokenRow): void {
    if (!hasAuthorization(row)) return;
    this.lastUsedRecorder.record(row, (id, now, before) => this.authorizations.updateLastUsedAt(id, now, before));
  }
}

function hasAuthorization(row: AccessTokenRow): row is AuthorizedTokenRow {
  return row.id !== null;
}
