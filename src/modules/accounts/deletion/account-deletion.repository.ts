import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

/**
 * Statements that end all that an account can do, and free its username and the keys of its devices. Each has a unique
 * index on the column that it sets to the row's id. The previous release doesn't know deleted accounts, so they also
 * revoke what their deletion alone would end. Each statement may run again.
 */
const REVOCATIONS = [
  `UPDATE devices SET revoked_at = coalesce(revoked_at, now()), thumbprint = id
    WHERE account_id = $1 AND thumbprint <> id`,
  'UPDATE external_tokens SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL',
  `UPDATE developer_apps SET state = 'disabled' WHERE account_id = $1 AND state = 'active'`,
  `UPDATE webhooks SET state = 'disabled' WHERE account_id = $1 AND state <> 'disabled'`,
  'DELETE FROM pairings WHERE account_id = $1',
  'UPDATE accounts SET username = id WHERE id = $1 AND username <> id',
];

const AUTHORIZATIONS_PER_STATEMENT = 500;
/** Also updates the token families of the deleted rows. */
const DELETE_AUTHORIZATIONS = `
  DELETE FROM app_authorizations WHERE id IN (
    SELECT id FROM app_authorizations WHERE account_id = $1 LIMIT ${AUTHORIZATIONS_PER_STATEMENT}) RETURNING 1`;

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

  /** Records the revocation of all devices, which instances look for after an outage of their database. */
  async recordDeviceRevocations(accountId: string, revokedAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO device_revocations (device_id, revoked_at)
       SELECT id, $2 FROM devices WHERE account_id = $1 ON CONFLICT (device_id) DO NOTHING`,
      [accountId, revokedAt],
    );
  }

  /** Ends the account's credentials. Each statement commits by itself, so that they wait for one table at a time. */
  async revokeCredentials(accountId: string): Promise<void> {
    for (const sql of REVOCATIONS) await this.unitOfWork.queryRows(sql, [accountId]);
    let deleted: unknown[];
    do deleted = await this.unitOfWork.queryRows(DELETE_AUTHORIZATIONS, [accountId]);
    while (deleted.length === AUTHORIZATIONS_PER_STATEMENT);
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
