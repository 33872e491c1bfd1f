import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../persistence';
import type { DeveloperAppRow } from './developer-app-record';
import { DeveloperAppEntity, type AppState } from './developer-app.entity';

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

const SELECT = `SELECT a.*,
  (SELECT count(*)::int FROM app_authorizations z WHERE z.app_id = a.id) AS active_users,
  (SELECT coalesce(json_agg(json_build_object('id', s.id, 'last4', s.last4, 'createdAt', ${ms('s.created_at')},
            'expiresAt', ${ms('s.expires_at')}, 'lastUsedAt', ${ms('s.last_used_at')}) ORDER BY s.id), '[]')
     FROM developer_app_secrets s WHERE s.app_id = a.id) AS secrets
  FROM developer_apps a`;

/** What its owner may change. */
export type AppChanges = Partial<Pick<DeveloperAppEntity, 'name' | 'description' | 'homepageUrl' | 'redirectUris'>>;

/** An app as everybody may know it. */
export interface RegisteredApp {
  clientId: string;
  name: string;
  ownerUsername: string;
  homepageUrl: string | null;
  redirectUris: string[];
}

@Injectable()
export class DeveloperAppsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  async insert(app: DeveloperAppEntity): Promise<void> {
    await this.unitOfWork.manager.insert(DeveloperAppEntity, app);
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM developer_apps WHERE account_id = $1',
      [accountId],
    );
    return row!.count;
  }

  async find(accountId: string, id: string): Promise<DeveloperAppRow | undefined> {
    const [row] = await this.unitOfWork.query<DeveloperAppRow>(`${SELECT} WHERE a.account_id = $1 AND a.id = $2`, [
      accountId,
      id,
    ]);
    return row;
  }

  /** Whoever owns it. */
  async findActive(id: string): Promise<RegisteredApp | null> {
    const [row] = await this.unitOfWork.query<RegisteredApp>(
      `SELECT a.id AS "clientId", a.name, o.username AS "ownerUsername", a.homepage_url AS "homepageUrl",
              a.redirect_uris AS "redirectUris"
         FROM developer_apps a JOIN accounts o ON o.id = a.account_id
        WHERE a.id = $1 AND a.state = 'active' AND o.suspended_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  /** Whoever owns them, disabled ones among them. */
  names(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.unitOfWork.query('SELECT id, name FROM developer_apps WHERE id = ANY($1)', [ids]);
  }

  async holdActive(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `SELECT 1 FROM developer_apps WHERE id = $1 AND state = 'active' FOR KEY SHARE`,
      [id],
    );
    return rows.length === 1;
  }

  /** Holds the app's row until the transaction ends; false when there is no such app of the account. */
  async lock(accountId: string, id: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      'SELECT 1 FROM developer_apps WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, id],
    );
    return rows.length === 1;
  }

  page(accountId: string, query: PageQuery): Promise<Page<DeveloperAppRow>> {
    return this.pager.page<DeveloperAppRow>(
      {
        name: 'developer-apps',
        owner: accountId,
        select: SELECT,
        key: byCreation('a'),
        where: (_, bind) => [`a.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scan(accountId: string): AsyncGenerator<DeveloperAppRow> {
    return scan(this.unitOfWork, `${SELECT} WHERE a.account_id = $1`, 'a', accountId);
  }

  async update(id: string, changes: AppChanges & { state?: AppState }, updatedAt: Date): Promise<void> {
    await this.unitOfWork.manager.update(DeveloperAppEntity, { id }, { ...changes, updatedAt });
  }

  /** With its secrets, authorizations and codes. */
  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(DeveloperAppEntity, { id });
  }
}
