import { Injectable } from '@nestjs/common';
import { callerAccountColumns, type CallerAccountRow } from '../accounts';
import type { Page, PageQuery } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../persistence';
import type { ExternalTokenRow } from './external-token-record';
import { ExternalTokenSecretEntity } from './external-token-secret.entity';
import { ExternalTokenEntity } from './external-token.entity';

const SELECT = `SELECT t.*, s.prefix, s.last4 FROM external_tokens t
  JOIN external_token_secrets s ON s.token_id = t.id AND NOT s.superseded`;

/** What a presented secret belongs to, and whether it still works. */
export interface PresentedSecret extends ExternalTokenRow, CallerAccountRow {
  superseded: boolean;
  ends_at: Date | null;
}

@Injectable()
export class ExternalTokensRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  async insert(token: ExternalTokenEntity, secret: ExternalTokenSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(ExternalTokenEntity, token);
    await this.insertSecret(secret);
  }

  async insertSecret(secret: ExternalTokenSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(ExternalTokenSecretEntity, secret);
  }

  /** Ends all earlier secrets: those that overlapped already at once, the current one at `endsAt`. */
  async supersede(tokenId: string, now: Date, endsAt: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE external_token_secrets
          SET superseded = true, ends_at = CASE WHEN superseded THEN least(ends_at, $2) ELSE $3 END
        WHERE token_id = $1`,
      [tokenId, now, endsAt],
    );
  }

  async find(accountId: string, id: string): Promise<ExternalTokenRow | undefined> {
    const [row] = await this.unitOfWork.query<ExternalTokenRow>(`${SELECT} WHERE t.account_id = $1 AND t.id = $2`, [
      accountId,
      id,
    ]);
    return row;
  }

  names(accountId: string, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.unitOfWork.query('SELECT id, name FROM external_tokens WHERE account_id = $1 AND id = ANY($2)', [
      accountId,
      ids,
    ]);
  }

  async findBySecret(hash: Buffer): Promise<PresentedSecret | undefined> {
    const [row] = await this.unitOfWork.query<PresentedSecret>(
      `SELECT t.*, s.prefix, s.last4, s.superseded, s.ends_at, ${callerAccountColumns('a')}
         FROM external_token_secrets s JOIN external_tokens t ON t.id = s.token_id
         JOIN accounts a ON a.id = t.account_id WHERE s.hash = $1`,
      [hash],
    );
    return row;
  }

  page(accountId: string, query: PageQuery): Promise<Page<ExternalTokenRow>> {
    return this.pager.page<ExternalTokenRow>(
      {
        name: 'external-tokens',
        owner: accountId,
        select: SELECT,
        key: byCreation('t'),
        where: (_, bind) => [`t.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scan(accountId: string): AsyncGenerator<ExternalTokenRow> {
    return scan(this.unitOfWork, `${SELECT} WHERE t.account_id = $1`, 't', accountId);
  }

  async countActive(accountId: string, now: Date): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: string }>(
      `SELECT count(*) FROM external_tokens WHERE account_id = $1 AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > $2)`,
      [accountId, now],
    );
    return Number(row!.count);
  }

  /** False when there is no such token of the account, or it was revoked before: that stands. */
  async revoke(accountId: string, id: string, at: Date): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `UPDATE external_tokens SET revoked_at = $3
        WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING 1`,
      [accountId, id, at],
    );
    return rows.length === 1;
  }

  /** Tokens of which a notice is due, locked; the others are another instance's. */
  dueForNotice(now: Date, limit: number): Promise<(ExternalTokenRow & { expiry_notice_at: Date })[]> {
    return this.unitOfWork.query(
      `${SELECT} WHERE t.expiry_notice_at <= $1 ORDER BY t.expiry_notice_at LIMIT $2 FOR UPDATE OF t SKIP LOCKED`,
      [now, limit],
    );
  }

  async setNotice(id: string, at: Date | null): Promise<void> {
    await this.unitOfWork.query('UPDATE external_tokens SET expiry_notice_at = $2 WHERE id = $1', [id, at]);
  }

  /** At most one write a minute, however many instances see the token; answers with what stands then. */
  async touch(id: string, now: Date, before: Date): Promise<Date | null> {
    const [row] = await this.unitOfWork.query<{ last_used_at: Date | null }>(
      `WITH touched AS (UPDATE external_tokens SET last_used_at = $2
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) RETURNING last_used_at)
       SELECT last_used_at FROM touched
       UNION ALL SELECT last_used_at FROM external_tokens WHERE id = $1
       ORDER BY last_used_at DESC NULLS LAST LIMIT 1`,
      [id, now, before],
    );
    return row?.last_used_at ?? null;
  }
}
