import { Injectable } from '@nestjs/common';
import { selectCallerAccountColumns, type CallerAccountRow } from '../accounts';
import type { Page, PageQueryDto } from '../../common/pages';
import {
  creationOrderKey,
  KeysetPageReader,
  selectEntityColumns,
  streamRows,
  UnitOfWork,
  type RowOf,
} from '../../core/database';
import type { PersonalAccessTokenRow } from './personal-access-token.response.dto';
import { PersonalAccessTokenSecretEntity } from './personal-access-token-secret.entity';
import { PersonalAccessTokenEntity } from './personal-access-token.entity';

const TOKEN_COLUMNS = selectEntityColumns(PersonalAccessTokenEntity, 't');

const SELECT_TOKENS = `SELECT ${TOKEN_COLUMNS}, s.prefix, s.last4 FROM external_tokens t
  JOIN external_token_secrets s ON s.token_id = t.id AND NOT s.superseded`;

/** Earlier secrets of a token that are kept, so that their use is refused as that of a revoked one. */
const MAX_SUPERSEDED_SECRETS = 20;

/** Token and account of a presented secret, with its state. */
export type PresentedSecretRow = PersonalAccessTokenRow &
  CallerAccountRow &
  RowOf<Pick<PersonalAccessTokenSecretEntity, 'hash' | 'superseded' | 'endsAt'>>;

@Injectable()
export class PersonalAccessTokensRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async insert(token: PersonalAccessTokenEntity, secret: PersonalAccessTokenSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(PersonalAccessTokenEntity, token);
    await this.insertSecret(secret);
  }

  async insertSecret(secret: PersonalAccessTokenSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(PersonalAccessTokenSecretEntity, secret);
  }

  /** Lets the current secret end at `endsAt`, and superseded ones then at the latest. Keeps the newest of these. */
  async supersedeSecrets(tokenId: string, endsAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE external_token_secrets SET superseded = true, ends_at = $2
        WHERE token_id = $1 AND (NOT superseded OR ends_at > $2)`,
      [tokenId, endsAt],
    );
    await this.unitOfWork.queryRows(
      `DELETE FROM external_token_secrets WHERE hash IN (
         SELECT hash FROM external_token_secrets WHERE token_id = $1 AND superseded
          ORDER BY ends_at DESC, hash OFFSET $2)`,
      [tokenId, MAX_SUPERSEDED_SECRETS],
    );
  }

  async find(accountId: string, id: string): Promise<PersonalAccessTokenRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<PersonalAccessTokenRow>(
      `${SELECT_TOKENS} WHERE t.account_id = $1 AND t.id = $2`,
      [accountId, id],
    );
    return row;
  }

  findNames(accountId: string, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.unitOfWork.queryRows('SELECT id, name FROM external_tokens WHERE account_id = $1 AND id = ANY($2)', [
      accountId,
      ids,
    ]);
  }

  findBySecrets(hashes: readonly Buffer[]): Promise<PresentedSecretRow[]> {
    return this.unitOfWork.queryRows<PresentedSecretRow>(
      `SELECT ${TOKEN_COLUMNS}, s.hash, s.prefix, s.last4, s.superseded, s.ends_at, ${selectCallerAccountColumns('a')}
         FROM external_token_secrets s JOIN external_tokens t ON t.id = s.token_id
         JOIN accounts a ON a.id = t.account_id WHERE a.deleted_at IS NULL AND s.hash = ANY($1)`,
      [hashes],
    );
  }

  findPage(accountId: string, query: PageQueryDto): Promise<Page<PersonalAccessTokenRow>> {
    return this.pager.readPage<PersonalAccessTokenRow>(
      {
        name: 'external-tokens',
        ownerId: accountId,
        select: SELECT_TOKENS,
        key: creationOrderKey('t'),
        where: (_, bind) => [`t.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  /** Returns the newest tokens that can be used. */
  findActive(accountId: string, now: Date, limit: number): Promise<PersonalAccessTokenRow[]> {
    return this.unitOfWork.queryRows<PersonalAccessTokenRow>(
      `${SELECT_TOKENS} WHERE t.account_id = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2)
        ORDER BY t.created_at DESC, t.id DESC LIMIT $3`,
      [accountId, now, limit],
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<PersonalAccessTokenRow> {
    return streamRows(this.unitOfWork, `${SELECT_TOKENS} WHERE t.account_id = $1`, 't', accountId);
  }

  async countActive(accountId: string, now: Date): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: string }>(
      `SELECT count(*) FROM external_tokens WHERE account_id = $1 AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > $2)`,
      [accountId, now],
    );
    return Number(row!.count);
  }

  /** Returns false when the account has no such token. */
  async rename(accountId: string, id: string, name: string): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(PersonalAccessTokenEntity, { accountId, id }, { name });
    return affected === 1;
  }

  /** Returns false when the account has no such token or the token is already revoked. */
  async markRevoked(accountId: string, id: string, revokedAt: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE external_tokens SET revoked_at = $3
        WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING 1`,
      [accountId, id, revokedAt],
    );
    return rows.length === 1;
  }

  /** Locks tokens with a due notice, and skips tokens that another instance has locked. */
  lockDueForNotice(now: Date, limit: number): Promise<(PersonalAccessTokenRow & { expiry_notice_at: Date })[]> {
    return this.unitOfWork.queryRows(
      `${SELECT_TOKENS} WHERE t.expiry_notice_at <= $1 ORDER BY t.expiry_notice_at LIMIT $2
       FOR UPDATE OF t SKIP LOCKED`,
      [now, limit],
    );
  }

  async markAllRevoked(accountId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE external_tokens SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL',
      [accountId],
    );
  }

  async setNextNoticeTime(id: string, noticeAt: Date | null): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE external_tokens SET expiry_notice_at = $2 WHERE id = $1', [id, noticeAt]);
  }

  /** Writes at most once a minute across instances. Returns the stored time. */
  async updateLastUse(id: string, now: Date, before: Date, address: string | null): Promise<Date | null> {
    const [row] = await this.unitOfWork.queryRows<{ last_used_at: Date | null }>(
      `WITH touched AS (UPDATE external_tokens SET last_used_at = $2, last_used_address = $4
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) RETURNING last_used_at)
       SELECT last_used_at FROM touched
       UNION ALL SELECT last_used_at FROM external_tokens WHERE id = $1
       ORDER BY last_used_at DESC NULLS LAST LIMIT 1`,
      [id, now, before, address],
    );
    return row?.last_used_at ?? null;
  }
}
