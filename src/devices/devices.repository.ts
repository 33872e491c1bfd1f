import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../persistence';
import type { DevicePresence, EndedPresence } from './device-presence';
import { DeviceEntity } from './device.entity';

/** A row of the list, in the table's own names. */
export interface DeviceRow {
  id: string;
  kind: DeviceEntity['kind'];
  name: string;
  platform: string;
  fingerprint: string;
  online: boolean;
  created_at: Date;
  last_seen_at: Date | null;
  revoked_at: Date | null;
}

export interface ExportedDeviceRow extends DeviceRow {
  public_key: object;
  encryption_key: object;
  enrollment: string | null;
}

@Injectable()
export class DevicesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** False when the signing key belongs to a device already, revoked ones included. */
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

  page(accountId: string, query: PageQuery): Promise<Page<DeviceRow>> {
    return this.pager.page<DeviceRow>(
      {
        name: 'devices',
        owner: accountId,
        select: 'SELECT d.* FROM devices d',
        key: byCreation('d'),
        where: (_, bind) => [`d.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  async countLiveAccountDevices(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: string }>(
      `SELECT count(*) FROM devices WHERE account_id = $1 AND kind = 'account' AND revoked_at IS NULL`,
      [accountId],
    );
    return Number(row!.count);
  }

  async revoke(accountId: string, id: string, at: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE devices SET revoked_at = $3, online = false
        WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL`,
      [accountId, id, at],
    );
    await this.announceRevocation('id = $1', [id, at]);
  }

  /** All of an account, before it is deleted. */
  revokeAll(accountId: string, at: Date): Promise<void> {
    return this.announceRevocation('account_id = $1', [accountId, at]);
  }

  /** Revoked and deleted ones alike. */
  async revokedSince(at: Date): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ device_id: string }>(
      'SELECT device_id FROM device_revocations WHERE revoked_at >= $1',
      [at],
    );
    return rows.map((row) => row.device_id);
  }

  /** Everything of the account's devices but the secrets, which are not kept. */
  scan(accountId: string): AsyncGenerator<ExportedDeviceRow> {
    return scan(this.unitOfWork, 'SELECT d.* FROM devices d WHERE d.account_id = $1', 'd', accountId);
  }

  private async announceRevocation(condition: string, parameters: unknown[]): Promise<void> {
    await this.unitOfWork.query(
      `INSERT INTO device_revocations (device_id, revoked_at)
       SELECT id, $2 FROM devices WHERE ${condition} ON CONFLICT (device_id) DO NOTHING`,
      parameters,
    );
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(DeviceEntity, { id }, { lastSeenAt: at });
  }

  async setOnline(id: string, { instance, epoch, capabilities }: DevicePresence, at: Date): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `UPDATE devices SET online = true, last_seen_at = $5, presence_instance = $2, presence_epoch = $3,
         presence_capabilities = $4
        WHERE id = $1 AND presence_epoch <= $3 AND revoked_at IS NULL RETURNING 1`,
      [id, instance, epoch, capabilities, at],
    );
    return rows.length === 1;
  }

  async setOffline(id: string, epoch: number, at: Date): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `UPDATE devices SET online = false, last_seen_at = $3 WHERE id = $1 AND presence_epoch <= $2 RETURNING 1`,
      [id, epoch, at],
    );
    return rows.length === 1;
  }

  async endPresence(instances: string[]): Promise<EndedPresence[]> {
    const rows = await this.unitOfWork.query<EndedPresence & { epoch: string }>(
      `UPDATE devices SET online = false
        WHERE online AND (presence_instance IS NULL OR presence_instance = ANY($1))
        RETURNING account_id AS "accountId", id AS "deviceId", presence_instance AS instance, presence_epoch AS epoch`,
      [instances],
    );
    return rows.map((row) => ({ ...row, epoch: Number(row.epoch) }));
  }

  async onlineCapabilities(id: string): Promise<string[] | null> {
    const [row] = await this.unitOfWork.query<{ presence_capabilities: string[] }>(
      'SELECT presence_capabilities FROM devices WHERE id = $1 AND online FOR UPDATE',
      [id],
    );
    return row?.presence_capabilities ?? null;
  }
}
