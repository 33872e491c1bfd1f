import { Injectable } from '@nestjs/common';
import { selectCallerAccountColumns, type CallerAccountRow } from '../../accounts';
import { UnitOfWork, type RowOf } from '../../../core/database';
import { DeviceTokenEntity } from '../device-token.entity';
import type { DeviceEntity } from '../device.entity';

/** Token with its device and account. */
export type DeviceTokenRow = RowOf<Pick<DeviceTokenEntity, 'hash' | 'expiresAt'>> &
  RowOf<Pick<DeviceEntity, 'id' | 'accountId' | 'kind' | 'revokedAt'>> &
  CallerAccountRow;

@Injectable()
export class DeviceTokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(token: DeviceTokenEntity): Promise<void> {
    await this.unitOfWork.manager.insert(DeviceTokenEntity, token);
  }

  findByHashes(hashes: readonly Buffer[]): Promise<DeviceTokenRow[]> {
    return this.unitOfWork.queryRows<DeviceTokenRow>(
      `SELECT d.id, d.account_id, d.kind, d.revoked_at, t.hash, t.expires_at, ${selectCallerAccountColumns('a')}
         FROM device_tokens t JOIN devices d ON d.id = t.device_id JOIN accounts a ON a.id = d.account_id
        WHERE t.hash = ANY($1)`,
      [hashes],
    );
  }

  /** Returns those of the hashes whose tokens exist. */
  async findExistingHashes(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.unitOfWork.queryRows<{ hash: Buffer }>(
      'SELECT hash FROM device_tokens WHERE hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Deletes the token. Returns the account of its device, or undefined when it does not exist. */
  async delete(hash: Buffer): Promise<string | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ account_id: string }>(
      `DELETE FROM device_tokens t USING devices d WHERE d.id = t.device_id AND t.hash = $1 RETURNING d.account_id`,
      [hash],
    );
    return row?.account_id;
  }

  /** Signs the account out everywhere: deletes the tokens of its account devices and records the time. */
  async deleteByAccount(accountId: string, signedOutAt: Date): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE accounts SET signed_out_at = $2 WHERE id = $1', [accountId, signedOutAt]);
    await this.unitOfWork.queryRows(
      `DELETE FROM device_tokens t USING devices d
        WHERE d.id = t.device_id AND d.account_id = $1 AND d.kind = 'account'`,
      [accountId],
    );
  }

  async findAccountsSignedOutSince(at: Date): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>('SELECT id FROM accounts WHERE signed_out_at >= $1', [
      at,
    ]);
    return rows.map(({ id }) => id);
  }
}
