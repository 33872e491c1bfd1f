import { Injectable } from '@nestjs/common';
import { invalidToken } from '../../access/auth';
import { planLimitExceededError, type ApiError } from '../../common/errors';
import { Config } from '../../core/config';
import { AccountsRepository } from './accounts.repository';
import { EventQuota } from './event-quota';
import { getPlan } from './plan';

/** Bytes charged for a row in addition to its texts: other columns and index entries. */
const ROW_OVERHEAD_BYTES = 1_024;

/** Returns the bytes charged for a row with these texts. */
export function countRowBytes(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), ROW_OVERHEAD_BYTES);
}

/** Storage quota of an account, updated with each write. */
@Injectable()
export class StorageQuota {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly eventQuota: EventQuota,
    private readonly config: Config,
  ) {}

  /**
   * Rejects a write that does not fit, or whose event doesn't, before anything is written, since a write that is rolled
   * back uses disk space until PostgreSQL vacuums it. Concurrent writes may follow, so `addUsage` makes the final
   * decision about storage.
   * @throws ApiError 403 `plan_limit_exceeded`, 401 when the account was deleted
   */
  async requireCapacity(accountId: string, bytes: number): Promise<void> {
    await this.eventQuota.requireCapacity(accountId);
    const { used, limit } = await this.readUsage(accountId);
    if (bytes > 0 && used + bytes > limit) throw storageQuotaExceeded(limit);
  }

  /**
   * Adds to the usage in the caller's transaction. Call it last, because it locks the account's row until commit.
   * @param bytes bytes to add; negative to release, which does nothing for a deleted account
   * @throws ApiError 403 `plan_limit_exceeded`, 401 when the account was deleted
   */
  async addUsage(accountId: string, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const { maxStorageBytes } = getPlan(this.config).limits;
    if (await this.accounts.addStorageBytes(accountId, bytes, maxStorageBytes)) return;
    if (bytes < 0) return;
    throw storageQuotaExceeded((await this.readUsage(accountId)).limit);
  }

  private async readUsage(accountId: string): Promise<{ used: number; limit: number }> {
    const { maxStorageBytes } = getPlan(this.config).limits;
    const row = await this.accounts.findStorage(accountId);
    if (!row) throw invalidToken('unknown');
    return { used: Number(row.storage_bytes), limit: row.limits.maxStorageBytes ?? maxStorageBytes };
  }
}

function storageQuotaExceeded(limit: number): ApiError {
  return planLimitExceededError(`An account can store at most ${limit} bytes.`, limit);
}
