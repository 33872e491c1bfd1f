import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import type { AccountLimits } from './plan';

/** Account as returned to operators. */
export interface AdminAccount {
  id: string;
  username: string;
  createdAt: Date;
  suspendedAt: Date | null;
  /** Overrides of the plan's limits. */
  limits: AccountLimits;
  storageBytes: number;
}

/** Conditions that all must hold, and the order of the result. */
export interface AccountSearch {
  /** Beginning of the username. */
  prefix?: string;
  /** Ids of records of the account; the app is one that it registered. */
  device?: string;
  token?: string;
  webhook?: string;
  app?: string;
  suspended?: boolean;
  /** Whether accounts are in the order of their stored bytes, largest first, instead of their usernames. */
  largest?: boolean;
  limit: number;
}

const ADMIN_ACCOUNT_COLUMNS = `id, username, created_at AS "createdAt", suspended_at AS "suspendedAt", limits,
  storage_bytes::float8 AS "storageBytes"`;

/**
 * Account operations of the admin command line. Running instances notice a change at the next credential look-up and
 * close open sockets within a second, without a notification (docs/decisions/0023).
 */
@Injectable()
export class AccountAdminService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param name username or id */
  async findAccount(name: string): Promise<AdminAccount | null> {
    return this.queryAccount(
      `SELECT ${ADMIN_ACCOUNT_COLUMNS} FROM accounts
        WHERE (id = $1 OR username = $1) AND deleted_at IS NULL`,
      [name],
    );
  }

  async searchAccounts(search: AccountSearch): Promise<AdminAccount[]> {
    const { prefix, device, token, webhook, app, suspended = false, largest = false, limit } = search;
    return this.unitOfWork.queryRows<AdminAccount>(
      `SELECT ${ADMIN_ACCOUNT_COLUMNS} FROM accounts
        WHERE deleted_at IS NULL
          AND ($1::text IS NULL OR starts_with(username, $1))
          AND ($2::text IS NULL OR id = (SELECT account_id FROM devices WHERE id = $2))
          AND ($3::text IS NULL OR id = (SELECT account_id FROM external_tokens WHERE id = $3))
          AND ($4::text IS NULL OR id = (SELECT account_id FROM webhooks WHERE id = $4))
          AND ($5::text IS NULL OR id = (SELECT account_id FROM developer_apps WHERE id = $5))
          AND (NOT $6::boolean OR suspended_at IS NOT NULL)
        ORDER BY CASE WHEN $7::boolean THEN storage_bytes END DESC, username LIMIT $8`,
      [prefix ?? null, device ?? null, token ?? null, webhook ?? null, app ?? null, suspended, largest, limit],
    );
  }

  /** Suspends the account by the database's clock, which the socket check uses too. Keeps an earlier time. */
  suspendAccount(id: string): Promise<AdminAccount | null> {
    return this.queryAccount(
      `UPDATE accounts SET suspended_at = coalesce(suspended_at, now()) WHERE id = $1 AND deleted_at IS NULL
       RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id],
    );
  }

  resumeAccount(id: string): Promise<AdminAccount | null> {
    return this.queryAccount(
      `UPDATE accounts SET suspended_at = NULL WHERE id = $1 AND deleted_at IS NULL
       RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id],
    );
  }

  /** @param changes overrides; null restores the plan's limit, absent limits do not change */
  setAccountLimits(id: string, changes: Partial<Record<keyof AccountLimits, number | null>>) {
    return this.queryAccount(
      `UPDATE accounts SET limits = jsonb_strip_nulls(limits || $2::jsonb) WHERE id = $1 AND deleted_at IS NULL
       RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id, JSON.stringify(changes)],
    );
  }

  private async queryAccount(sql: string, parameters: unknown[]): Promise<AdminAccount | null> {
    const [row] = await this.unitOfWork.queryRows<AdminAccount>(sql, parameters);
    return row ?? null;
  }
}
