import { Injectable } from '@nestjs/common';
import { toCallerAccount } from '../accounts';
import { LastUsedRecorder, RowTokenVerifier, TokenVerifierRegistry, type TokenPrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { PersonalAccessTokensRepository, type PresentedSecretRow } from './personal-access-tokens.repository';

/** Verifies personal access tokens (`svc_pat_…`). */
@Injectable()
export class PersonalAccessTokenVerifier extends RowTokenVerifier<PresentedSecretRow> {
  readonly prefix = 'svc_pat_';
  readonly audience = 'token';

  constructor(
    private readonly tokens: PersonalAccessTokensRepository,
    private readonly lastUsedRecorder: LastUsedRecorder,
    tokenVerifiers: TokenVerifierRegistry,
    clock: Clock,
  ) {
    super(tokenVerifiers, clock);
  }

  protected findRows(hashes: readonly Buffer[]): Promise<PresentedSecretRow[]> {
    return this.tokens.findBySecrets(hashes);
  }

  /** A secret that was superseded by a rotation is valid until `ends_at`. */
  protected toPrincipal(row: PresentedSecretRow, now: number): TokenPrincipal | null {
    const isSuperseded = row.superseded && (row.ends_at === null || row.ends_at.getTime() <= now);
    if (row.revoked_at || isSuperseded) return null;
    return {
      kind: 'token',
      type: 'pat',
      accountId: row.account_id,
      account: toCallerAccount(row),
      tokenId: row.id,
      appId: null,
      scopes: row.scopes,
      machineIds: row.machine_ids,
      name: row.name,
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at?.getTime() ?? null,
      lastUsedAt: row.last_used_at?.getTime() ?? null,
    };
  }

  protected override recordUse(row: PresentedSecretRow, address?: string): void {
    const lastAddress = address ?? null;
    this.lastUsedRecorder.record(row, (id, now, before) => this.tokens.updateLastUse(id, now, before, lastAddress));
  }
}
