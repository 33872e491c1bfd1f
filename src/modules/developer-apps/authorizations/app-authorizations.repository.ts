import { Injectable } from '@nestjs/common';
import type { Scope } from '../../../access/auth';
import type { Page, PageQueryDto } from '../../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../../core/database';
import type { AppAuthorizationEntity } from './app-authorization.entity';
import type { AuthorizedAppRow } from './authorized-app.response.dto';

const ROWS_PER_BATCH = 500;

const SELECT_AUTHORIZATIONS = `SELECT z.*, a.name, a.homepage_url, o.username AS owner_username
  FROM app_authorizations z JOIN developer_apps a ON a.id = z.app_id
  JOIN accounts o ON o.id = a.account_id AND o.deleted_at IS NULL`;

@Injectable()
export class AppAuthorizationsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Creates an authorization or adds scopes to it. Returns its id, or null when the app does not exist. */
  async upsertScopes({ id, accountId, appId, scopes, createdAt }: AppAuthorizationEntity): Promise<string | null> {
    const [row] = await this.unitOfWork.queryRows<{ id: string }>(
      `INSERT INTO app_authorizations AS z (id, account_id, app_id, scopes, created_at)
       SELECT $1, $2, a.id, $4, $5::timestamptz FROM
         (SELECT id FROM developer_apps WHERE id = $3 AND state = 'active' AND suspended_at IS NULL FOR KEY SHARE) a
       ON CONFLICT (account_id, app_id) DO UPDATE SET scopes =
         z.scopes || ARRAY(SELECT unnest(excluded.scopes) EXCEPT SELECT unnest(z.scopes))
       RETURNING id`,
      [id, accountId, appId, scopes, createdAt],
    );
    return row?.id ?? null;
  }

  /** Finds the authorization of an active app, whose developer is not suspended, with its scopes. */
  async findActive(accountId: string, appId: string): Promise<{ id: string; scopes: Scope[] } | null> {
    const [row] = await this.unitOfWork.queryRows<{ id: string; scopes: Scope[] }>(
      `SELECT z.id, z.scopes FROM app_authorizations z JOIN developer_apps a ON a.id = z.app_id
         JOIN accounts o ON o.id = a.account_id AND o.suspended_at IS NULL
        WHERE z.account_id = $1 AND z.app_id = $2 AND a.state = 'active' AND a.suspended_at IS NULL`,
      [accountId, appId],
    );
    return row ?? null;
  }

  async find(accountId: string, appId: string): Promise<AuthorizedAppRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<AuthorizedAppRow>(
      `${SELECT_AUTHORIZATIONS} WHERE z.account_id = $1 AND z.app_id = $2`,
      [accountId, appId],
    );
    return row;
  }

  async lockAuthorization(accountId: string, appId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM app_authorizations WHERE account_id = $1 AND app_id = $2 FOR KEY SHARE',
      [accountId, appId],
    );
    return rows.length === 1;
  }

  findPage(accountId: string, query: PageQueryDto): Promise<Page<AuthorizedAppRow>> {
    return this.pager.readPage<AuthorizedAppRow>(
      {
        name: 'authorized-apps',
        ownerId: accountId,
        select: SELECT_AUTHORIZATIONS,
        key: creationOrderKey('z'),
        where: (_, bind) => [`z.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<AuthorizedAppRow> {
    return streamRows(this.unitOfWork, `${SELECT_AUTHORIZATIONS} WHERE z.account_id = $1`, 'z', accountId);
  }

  /** Returns false when there was no authorization. */
  async delete(accountId: string, appId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'DELETE FROM app_authorizations WHERE account_id = $1 AND app_id = $2 RETURNING 1',
      [accountId, appId],
    );
    return rows.length === 1;
  }

  /** Deletes at most `limit` authorizations of the app. Returns their account ids. */
  async deleteBatchByApp(appId: string, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ account_id: string }>(
      `DELETE FROM app_authorizations WHERE id IN (
         SELECT id FROM app_authorizations WHERE app_id = $1 LIMIT $2 FOR UPDATE) RETURNING account_id`,
      [appId, limit],
    );
    return rows.map((row) => row.account_id);
  }

  /** Deletes what an account has authorized, in batches. Also updates the token families of the deleted rows. */
  async deleteAllByAccount(accountId: string): Promise<void> {
    const deleteBatch = () =>
      this.unitOfWork.queryRows(
        `DELETE FROM app_authorizations WHERE id IN (
           SELECT id FROM app_authorizations WHERE account_id = $1 LIMIT $2) RETURNING 1`,
        [accountId, ROWS_PER_BATCH],
      );
    while ((await deleteBatch()).length === ROWS_PER_BATCH);
  }

  /** Deletes all authorizations of the app. Returns their account ids. */
  async deleteAllByApp(appId: string): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ account_id: string }>(
      'DELETE FROM app_authorizations WHERE app_id = $1 RETURNING account_id',
      [appId],
    );
    return rows.map((row) => row.account_id);
  }

  /** Writes at most once a minute across instances. Returns the stored time. */
  async updateLastUsedAt(id: string, now: Date, before: Date): Promise<Date | null> {
    const [row] = await this.unitOfWork.queryRows<{ last_used_at: Date | null }>(
      `WITH touched AS (UPDATE app_authorizations SET last_used_at = $2
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) RETURNING last_used_at)
       SELECT last_used_at FROM touched
       UNION ALL SELECT last_used_at FROM app_authorizations WHERE id = $1
       ORDER BY last_used_at DESC NULLS LAST LIMIT 1`,
      [id, now, before],
    );
    return row?.last_used_at ?? null;
  }
}
