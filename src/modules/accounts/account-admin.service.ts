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
    return this.queryAccount(`SELECT ${ADMIN_ACCOUNT_COLUMNS} FROM accounts WHERE id = $1 OR username = $1`, [name]);
  }

  /** Suspends the account by the database's clock, which the socket check uses too. Keeps an earlier time. */
  suspendAccount(id: string): Promise<AdminAccount | null> {
    return this.queryAccount(
      `UPDATE accounts SET suspended_at = coalesce(suspended_at, now()) WHERE id = $1
       RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id],
    );
  }

  resumeAccount(id: string): Promise<AdminAccount | null> {
    return this.queryAccount(
      `UPDATE accounts SET suspended_at = NULL WHERE id = $1 RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id],
    );
  }

  /** @param changes overrides; null restores the plan's limit, absent limits do not change */
  setAccountLimits(id: string, changes: Partial<Record<keyof AccountLimits, number | null>>) {
    return this.queryAccount(
      `UPDATE accounts SET limits = jsonb_strip_nulls(limits || $2::jsonb) WHERE id = $1
       RETURNING ${ADMIN_ACCOUNT_COLUMNS}`,
      [id, JSON.stringify(changes)],
    );
  }

  private async queryAccount(sql: string, parameters: unknown[]): Promise<AdminAccount | null> {
    const [row] = await this.unitOfWork.queryRows<AdminAccount>(sql, parameters);
    return row ?? null;
  }
}
