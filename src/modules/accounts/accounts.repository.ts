import { Injectable } from '@nestjs/common';
import { selectEntityProperties, UnitOfWork, type RowOf } from '../../core/database';
import { AccountEntity } from './account.entity';

@Injectable()
export class AccountsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns false when the username is taken. */
  insert(account: AccountEntity): Promise<boolean> {
    return this.unitOfWork.insertOrIgnore(AccountEntity, account);
  }

  async isUsernameTaken(username: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('SELECT 1 FROM accounts WHERE username = $1', [username]);
    return rows.length > 0;
  }

  /** Returns null for an account that is deleted, like all methods that look for accounts. */
  async find(id: string): Promise<AccountEntity | null> {
    const [row] = await this.unitOfWork.queryRows<AccountEntity>(
      `SELECT ${selectEntityProperties(AccountEntity)} FROM accounts WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  /** Returns the ids that exist and locks them against deletion until the transaction ends. */
  async lockExisting(ids: string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      'SELECT id FROM accounts WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE',
      [ids],
    );
    return new Set(rows.map((row) => row.id));
  }

  /** Returns the stored bytes and the overrides of the plan's limits. */
  async findStorage(id: string): Promise<RowOf<Pick<AccountEntity, 'storageBytes' | 'limits'>> | undefined> {
    const [row] = await this.unitOfWork.queryRows<RowOf<Pick<AccountEntity, 'storageBytes' | 'limits'>>>(
      'SELECT storage_bytes, limits FROM accounts WHERE id = $1 AND deleted_at IS NULL',
      [id],
    );
    return row;
  }

  async recordSignOut(id: string, signedOutAt: Date): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE accounts SET signed_out_at = $2 WHERE id = $1 AND deleted_at IS NULL', [
      id,
      signedOutAt,
    ]);
  }

  /**
   * Returns false when the account's limit, by default `defaultLimit`, would be exceeded, and when the account is
   * deleted. Never below zero.
   */
  async addStorageBytes(id: string, bytes: number, defaultLimit: number): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE accounts SET storage_bytes = greatest(0, storage_bytes + $2)
        WHERE id = $1 AND deleted_at IS NULL
          AND ($2 < 0 OR storage_bytes + $2 <= coalesce((limits->>'maxStorageBytes')::bigint, $3))
        RETURNING 1`,
      [id, bytes, defaultLimit],
    );
    return rows.length === 1;
  }

  /**
   * Locks the account's row until the transaction ends, which serializes counts of its resources. Concurrent inserts
   * of rows that reference the account are not blocked, since blocking them could deadlock. Returns false for an
   * account that is deleted.
   */
  async lockAccount(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [id],
    );
    return rows.length === 1;
  }
}
