import { Injectable } from '@nestjs/common';
import { selectCallerAccountColumns, type CallerAccountRow } from '../../accounts';
import { UnitOfWork, type RowOf } from '../../../core/database';
import { DeviceTokenEntity } from '../device-token.entity';
import type { DeviceEntity } from '../device.entity';

/** Token with its device and account. `last_used_at` is the time of the device's last sign-in or call. */
export type DeviceTokenRow = RowOf<Pick<DeviceTokenEntity, 'hash' | 'expiresAt'>> &
  RowOf<Pick<DeviceEntity, 'id' | 'accountId' | 'kind' | 'revokedAt'>> &
  CallerAccountRow & { last_used_at: Date | null };

@Injectable()
export class DeviceTokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(token: DeviceTokenEntity): Promise<void> {
    await this.unitOfWork.manager.insert(DeviceTokenEntity, token);
  }

  findByHashes(hashes: readonly Buffer[]): Promise<DeviceTokenRow[]> {
    return this.unitOfWork.queryRows<DeviceTokenRow>(
      `SELECT d.id, d.account_id, d.kind, d.revoked_at, d.last_seen_at AS last_used_at, t.hash, t.expires_at,
              ${selectCallerAccountColumns('a')}
         FROM device_tokens t JOIN devices d ON d.id = t.device_id JOIN accounts a ON a.id = d.account_id
        WHERE a.deleted_at IS NULL AND t.hash = ANY($1)`,
      [hashes],
    );
  }

  /** Returns the token with its device. `last_used_at` includes connections. */
  async findWithDevice(hash: Buffer): Promise<(DeviceTokenRow & { name: string; created_at: Date }) | undefined> {
    const [row] = await this.unitOfWork.queryRows<DeviceTokenRow & { name: string; created_at: Date }>(
      `SELECT d.id, d.name, d.account_id, d.kind, d.revoked_at, t.hash, t.created_at, t.expires_at,
              greatest(d.last_seen_at, p.changed_at) AS last_used_at
         FROM device_tokens t JOIN devices d ON d.id = t.device_id
              LEFT JOIN device_presence p ON p.device_id = d.id
        WHERE t.hash = $1`,
      [hash],
    );
    return row;
  }

  /** Returns those of the hashes whose tokens exist. */
  async findExistingHashes(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.unitOfWork.queryRows<{ hash: Buffer }>(
      'SELECT hash FROM device_tokens WHERE hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Writes at most once a minute across instances. Returns the stored time. */
  async updateLastSeenAt(deviceId: string, now: Date, before: Date): Promise<Date | null> {
    const [row] = await this.unitOfWork.queryRows<{ last_seen_at: Date | null }>(
      `WITH touched AS (UPDATE devices SET last_seen_at = $2
         WHERE id = $1 AND (last_seen_at IS NULL OR last_seen_at <= $3) RETURNING last_seen_at)
       SELECT last_seen_at FROM touched
       UNION ALL SELECT last_seen_at FROM devices WHERE id = $1
       ORDER BY last_seen_at DESC NULLS LAST LIMIT 1`,
      [deviceId, now, before],
    );
    return row?.last_seen_at ?? null;
  }

  /** Counts the tokens of a device, including expired ones. */
  async countByDevice(deviceId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      'SELECT count(*)::int AS count FROM device_tokens WHERE device_id = $1',
      [deviceId],
    );
    return row!.count;
  }

  async deleteAllButNewest(deviceId: string, newestCount: number): Promise<void> {
    await this.unitOfWork.queryRows(
      `DELETE FROM device_tokens WHERE hash IN (
         SELECT hash FROM device_tokens WHERE device_id = $1 ORDER BY created_at DESC, hash OFFSET $2)`,
      [deviceId, newestCount],
    );
  }

  /** Returns false when the token does not exist. */
  async delete(hash: Buffer): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('DELETE FROM device_tokens WHERE hash = $1 RETURNING 1', [hash]);
    return rows.length === 1;
  }

  /** Deletes the tokens of the account's account devices. */
  async deleteByAccount(accountId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      `DELETE FROM device_tokens t USING devices d
        WHERE d.id = t.device_id AND d.account_id = $1 AND d.kind = 'account'`,
      [accountId],
    );
  }
}
