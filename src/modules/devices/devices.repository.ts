import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork, type RowOf } from '../../core/database';
import type { DevicePresence, StaleDevicePresence } from './device-presence';
import { DeviceEntity } from './device.entity';

export type DeviceRow = RowOf<DeviceEntity>;

@Injectable()
export class DevicesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Returns false when the signing key already belongs to a device, revoked or not. */
  async insert(device: DeviceEntity): Promise<boolean> {
    const result = await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(DeviceEntity)
      .values(device)
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  findByThumbprint(thumbprint: string): Promise<DeviceEntity | null> {
    return this.unitOfWork.manager.findOneBy(DeviceEntity, { thumbprint });
  }

  find(accountId: string, id: string): Promise<DeviceEntity | null> {
    return this.unitOfWork.manager.findOneBy(DeviceEntity, { accountId, id });
  }

  listDevices(accountId: string, query: PageQueryDto): Promise<Page<DeviceRow>> {
    return this.pager.readPage<DeviceRow>(
      {
        name: 'devices',
        ownerId: accountId,
        select: 'SELECT d.* FROM devices d',
        key: creationOrderKey('d'),
        where: (_, bind) => [`d.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  /** Returns the account's devices of a platform, newest first. The plan limits how many devices there are. */
  findByPlatform(accountId: string, platform: string): Promise<DeviceEntity[]> {
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    return this.unitOfWork.manager.find(DeviceEntity, { where: { accountId, platform }, order });
  }

  async countActiveAccountDevices(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: string }>(
      `SELECT count(*) FROM devices WHERE account_id = $1 AND kind = 'account' AND revoked_at IS NULL`,
      [accountId],
    );
    return Number(row!.count);
  }

  /** Counts devices, including revoked ones. */
  async countDevices(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      'SELECT count(*)::int AS count FROM devices WHERE account_id = $1',
      [accountId],
    );
    return row!.count;
  }

  /** Returns false when the account has no such device. */
  async renameDevice(accountId: string, id: string, name: string): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(DeviceEntity, { accountId, id }, { name });
    return affected === 1;
  }

  async revokeDevice(accountId: string, id: string, at: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE devices SET revoked_at = $3, online = false
        WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL`,
      [accountId, id, at],
    );
    await this.recordRevocation('id = $1', [id, at]);
  }

  /** Records the revocation of all of an account's devices, before the account is deleted. */
  recordAccountRevocation(accountId: string, at: Date): Promise<void> {
    return this.recordRevocation('account_id = $1', [accountId, at]);
  }

  /** Returns ids of devices revoked or deleted since then. */
  async findRevokedSince(at: Date): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ device_id: string }>(
      'SELECT device_id FROM device_revocations WHERE revoked_at >= $1',
      [at],
    );
    return rows.map((row) => row.device_id);
  }

  /** Reads all columns of the account's devices. Secrets are not stored. */
  scanDevices(accountId: string): AsyncGenerator<DeviceRow> {
    return streamRows(this.unitOfWork, 'SELECT d.* FROM devices d WHERE d.account_id = $1', 'd', accountId);
  }

  private async recordRevocation(condition: string, parameters: unknown[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO device_revocations (device_id, revoked_at)
       SELECT id, $2 FROM devices WHERE ${condition} ON CONFLICT (device_id) DO NOTHING`,
      parameters,
    );
  }

  async updateLastSeen(id: string, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(DeviceEntity, { id }, { lastSeenAt: at });
  }

  async setOnline(id: string, { instance, epoch, capabilities }: DevicePresence, at: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE devices SET online = true, last_seen_at = $5, presence_instance = $2, presence_epoch = $3,
         presence_capabilities = $4
        WHERE id = $1 AND presence_epoch <= $3 AND revoked_at IS NULL RETURNING 1`,
      [id, instance, epoch, capabilities, at],
    );
    return rows.length === 1;
  }

  async setOffline(id: string, epoch: number, at: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE devices SET online = false, last_seen_at = $3 WHERE id = $1 AND presence_epoch <= $2 RETURNING 1`,
      [id, epoch, at],
    );
    return rows.length === 1;
  }

  /** The devices may have been online until now, for all that anyone knows. */
  async markInstancesOffline(instances: string[], at: Date): Promise<StaleDevicePresence[]> {
    const rows = await this.unitOfWork.queryRows<StaleDevicePresence & { epoch: string }>(
      `UPDATE devices SET online = false, last_seen_at = $2
        WHERE online AND (presence_instance IS NULL OR presence_instance = ANY($1))
        RETURNING account_id AS "accountId", id AS "deviceId", presence_instance AS instance, presence_epoch AS epoch`,
      [instances, at],
    );
    return rows.map((row) => ({ ...row, epoch: Number(row.epoch) }));
  }

  async lockOnlineCapabilities(id: string): Promise<string[] | null> {
    const [row] = await this.unitOfWork.queryRows<{ presence_capabilities: string[] }>(
      'SELECT presence_capabilities FROM devices WHERE id = $1 AND online FOR UPDATE',
      [id],
    );
    return row?.presence_capabilities ?? null;
  }
}
