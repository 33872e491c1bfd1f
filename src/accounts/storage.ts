import { Injectable } from '@nestjs/common';
import { planLimitExceeded } from '../common/errors';
import { Config } from '../config';
import { UnitOfWork } from '../persistence';
import { planOf, type AccountLimits } from './plan';

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
    const { maxStorageBytes } = planOf(this.config).limits;
    const rows = await this.unitOfWork.query(
      `UPDATE accounts SET storage_bytes = greatest(0, storage_bytes + $2)
        WHERE id = $1 AND ($2 < 0 OR storage_bytes + $2 <= coalesce((limits->>'maxStorageBytes')::bigint, $3))
        RETURNING 1`,
      [accountId, bytes, maxStorageBytes],
    );
    if (rows.length > 0) return;
    const limit = (await this.ownLimit(accountId)) ?? maxStorageBytes;
    throw planLimitExceeded(`An account keeps at most ${limit} bytes.`, limit);
  }

  private async ownLimit(accountId: string): Promise<number | undefined> {
    const [row] = await this.unitOfWork.query<{ limits: AccountLimits }>('SELECT limits FROM accounts WHERE id = $1', [
      accountId,
    ]);
    return row?.limits.maxStorageBytes;
  }
}
