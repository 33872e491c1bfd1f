import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import type { Page, PageQuery } from '../../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../../persistence';
import type { AppAuthorizationEntity } from './app-authorization.entity';
import type { AuthorizedAppRow } from './authorized-app-record';

const SELECT = `SELECT z.*, a.name, a.homepage_url, o.username AS owner_username
  FROM app_authorizations z JOIN developer_apps a ON a.id = z.app_id JOIN accounts o ON o.id = a.account_id`;

@Injectable()
export class AppAuthorizationsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** Adds the scopes where one stands already; answers the id of what stands then, null where the app is gone. */
  async grant({ id, accountId, appId, scopes, createdAt }: AppAuthorizationEntity): Promise<string | null> {
    const [row] = await this.unitOfWork.query<{ id: string }>(
      `INSERT INTO app_authorizations AS z (id, account_id, app_id, scopes, created_at)
       SELECT $1, $2, a.id, $4, $5::timestamptz FROM
         (SELECT id FROM developer_apps WHERE id = $3 AND state = 'active' FOR KEY SHARE) a
       ON CONFLICT (account_id, app_id) DO UPDATE SET scopes =
         z.scopes || ARRAY(SELECT unnest(excluded.scopes) EXCEPT SELECT unnest(z.scopes))
       RETURNING id`,
      [id, accountId, appId, scopes, createdAt],
    );
    return row?.id ?? null;
  }

  /** With the scopes of a standing one, of an app that is not disabled. */
  async find(accountId: string, appId: string): Promise<{ id: string; scopes: Scope[] } | null> {
    const [row] = await this.unitOfWork.query<{ id: string; scopes: Scope[] }>(
      `SELECT z.id, z.scopes FROM app_authorizations z JOIN developer_apps a ON a.id = z.app_id
        WHERE z.account_id = $1 AND z.app_id = $2 AND a.state = 'active'`,
      [accountId, appId],
    );
    return row ?? null;
  }

  async hold(accountId: string, appId: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      'SELECT 1 FROM app_authorizations WHERE account_id = $1 AND app_id = $2 FOR KEY SHARE',
      [accountId, appId],
    );
    return rows.length === 1;
  }

  page(accountId: string, query: PageQuery): Promise<Page<AuthorizedAppRow>> {
    return this.pager.page<AuthorizedAppRow>(
      {
        name: 'authorized-apps',
        owner: accountId,
        select: SELECT,
        key: byCreation('z'),
        where: (_, bind) => [`z.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scan(accountId: string): AsyncGenerator<AuthorizedAppRow> {
    return scan(this.unitOfWork, `${SELECT} WHERE z.account_id = $1`, 'z', accountId);
  }

  /** False when there was none. */
  async delete(accountId: string, appId: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      'DELETE FROM app_authorizations WHERE account_id = $1 AND app_id = $2 RETURNING 1',
      [accountId, appId],
    );
    return rows.length === 1;
  }

  /** Whose they were. */
  async deleteAll(appId: string): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ account_id: string }>(
      'DELETE FROM app_authorizations WHERE app_id = $1 RETURNING account_id',
      [appId],
    );
    return rows.map((row) => row.account_id);
  }

  /** At most one write a minute, however many instances see it; answers with what stands then. */
  async touch(id: string, now: Date, before: Date): Promise<Date | null> {
    const [row] = await this.unitOfWork.query<{ last_used_at: Date | null }>(
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
