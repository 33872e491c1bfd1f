import { Injectable } from '@nestjs/common';
import { planLimitExceeded } from '../common/errors';
import { Config } from '../config';
import { UnitOfWork } from '../persistence';
import { planOf } from './plan';

/** How much ciphertext an account keeps, counted with every write of it. */
@Injectable()
export class Storage {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly config: Config,
  ) {}

  /**
   * Part of the transaction that writes or deletes; call it last, it holds the account's row until the commit.
   * @param bytes more, or less when negative
   * @throws ApiError 403 `plan_limit_exceeded`
   */
  async add(accountId: string, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const limit = planOf(this.config).limits.maxStorageBytes;
    const rows = await this.unitOfWork.query(
      `UPDATE accounts SET storage_bytes = greatest(0, storage_bytes + $2)
        WHERE id = $1 AND ($2 < 0 OR storage_bytes + $2 <= $3) RETURNING 1`,
      [accountId, bytes, limit],
    );
    if (rows.length === 0) throw planLimitExceeded(`An account keeps at most ${limit} bytes.`, limit);
  }
}
