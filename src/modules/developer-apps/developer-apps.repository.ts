import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import type { DeveloperAppRow } from './developer-app.response.dto';
import { DeveloperAppEntity, type DeveloperAppState } from './developer-app.entity';

const toEpochMs = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

const SELECT_APPS = `SELECT a.*,
  (SELECT count(*)::int FROM app_authorizations z WHERE z.app_id = a.id) AS active_users,
  (SELECT coalesce(json_agg(json_build_object('id', s.id, 'last4', s.last4,
            'createdAt', ${toEpochMs('s.created_at')}, 'expiresAt', ${toEpochMs('s.expires_at')},
            'lastUsedAt', ${toEpochMs('s.last_used_at')}) ORDER BY s.id), '[]')
     FROM developer_app_secrets s WHERE s.app_id = a.id) AS secrets
  FROM developer_apps a`;

/** Columns that the owner may change. */
export type DeveloperAppChanges = Partial<
  Pick<DeveloperAppEntity, 'name' | 'description' | 'homepageUrl' | 'redirectUris'>
>;

/** Public data of an app. */
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
    private readonly pager: KeysetPageReader,
  ) {}

  async insert(app: DeveloperAppEntity): Promise<void> {
    await this.unitOfWork.manager.insert(DeveloperAppEntity, app);
  }

  async countByAccount(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      'SELECT count(*)::int AS count FROM developer_apps WHERE account_id = $1',
      [accountId],
    );
    return row!.count;
  }

  async find(accountId: string, id: string): Promise<DeveloperAppRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<DeveloperAppRow>(
      `${SELECT_APPS} WHERE a.account_id = $1 AND a.id = $2`,
      [accountId, id],
    );
    return row;
  }

  /** Finds an active app by id, regardless of owner. */
  async findActive(id: string): Promise<RegisteredApp | null> {
    const [row] = await this.unitOfWork.queryRows<RegisteredApp>(
      `SELECT a.id AS "clientId", a.name, o.username AS "ownerUsername", a.homepage_url AS "homepageUrl",
              a.redirect_uris AS "redirectUris"
         FROM developer_apps a JOIN accounts o ON o.id = a.account_id
        WHERE a.id = $1 AND a.state = 'active' AND a.suspended_at IS NULL AND o.suspended_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  /** Returns names of apps by id, regardless of owner, including disabled apps. */
  findNames(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.unitOfWork.queryRows('SELECT id, name FROM developer_apps WHERE id = ANY($1)', [ids]);
  }

  async lockIfActive(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM developer_apps WHERE id = $1 AND state = 'active' AND suspended_at IS NULL FOR KEY SHARE`,
      [id],
    );
    return rows.length === 1;
  }

  /** Locks the app until the transaction ends. Returns false when the account has no such app. */
  async lockApp(accountId: string, id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM developer_apps WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, id],
    );
    return rows.length === 1;
  }

  /** Returns the app of any developer. */
  async findByClientId(id: string): Promise<DeveloperAppRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<DeveloperAppRow>(`${SELECT_APPS} WHERE a.id = $1`, [id]);
    return row;
  }

  findPage(accountId: string, query: PageQueryDto): Promise<Page<DeveloperAppRow>> {
    return this.pager.readPage<DeveloperAppRow>(
      {
        name: 'developer-apps',
        ownerId: accountId,
        select: SELECT_APPS,
        key: creationOrderKey('a'),
        where: (_, bind) => [`a.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<DeveloperAppRow> {
    return streamRows(this.unitOfWork, `${SELECT_APPS} WHERE a.account_id = $1`, 'a', accountId);
  }

  async update(
    id: string,
    changes: DeveloperAppChanges & { state?: DeveloperAppState; suspendedAt?: Date | null },
    updatedAt: Date,
  ): Promise<void> {
    await this.unitOfWork.manager.update(DeveloperAppEntity, { id }, { ...changes, updatedAt });
  }

  /** Disables all apps of the account. Returns their ids, also of those that were disabled before. */
  async disableAll(accountId: string): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `UPDATE developer_apps SET state = 'disabled' WHERE account_id = $1 RETURNING id`,
      [accountId],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes the app with its secrets, authorizations and codes. */
  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(DeveloperAppEntity, { id });
  }
}
