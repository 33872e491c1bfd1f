import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

export interface PendingDeletions {
  count: number;
  /** Since the earliest deletion, 0 without one. */
  oldestSeconds: number;
}

@Injectable()
export class AccountDeletionRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Marks the account as deleted, by the database's clock, and as suspended, which closes its sockets and is what the
   * previous release knows. Waits only for transactions that have locked the account. Returns false if it is deleted.
   */
  async markDeleted(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'UPDATE accounts SET deleted_at = now(), suspended_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING 1',
      [id],
    );
    return rows.length === 1;
  }

  /** Makes the username available again. It is unique, as the id is. */
  async freeUsername(id: string): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE accounts SET username = id WHERE id = $1 AND username <> id', [id]);
  }

  async findDeletedAccounts(limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      'SELECT id FROM accounts WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT $1',
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Measures the deleted accounts that still have a row, by the database's clock. */
  async measurePendingDeletions(): Promise<PendingDeletions> {
    const [row] = await this.unitOfWork.queryRows<PendingDeletions>(
      `SELECT count(*)::int AS count,
              greatest(0, coalesce(extract(epoch FROM now() - min(deleted_at)), 0))::float8 AS "oldestSeconds"
         FROM accounts WHERE deleted_at IS NOT NULL`,
    );
    return row!;
  }

  /** Returns whether the account is deleted and still has a row. */
  async isDeletionPending(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('SELECT 1 FROM accounts WHERE id = $1 AND deleted_at IS NOT NULL', [
      id,
    ]);
    return rows.length === 1;
  }

  /** Locks the deleted account until the transaction ends. Returns false if another instance has locked it. */
  async lockDeletedAccount(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM accounts WHERE id = $1 AND deleted_at IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED',
      [id],
    );
    return rows.length === 1;
  }

  /** Deletes the account's row, with all rows that refer to it. */
  async deleteAccountRow(id: string): Promise<void> {
    await this.unitOfWork.queryRows('DELETE FROM accounts WHERE id = $1', [id]);
  }
}
