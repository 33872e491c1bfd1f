import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../common/pages';
import {
  creationOrderKey,
  KeysetPageReader,
  selectEntityColumns,
  selectEntityProperties,
  streamRows,
  UnitOfWork,
  type RowOf,
} from '../../core/database';
import { DeviceEntity } from './device.entity';

type DeviceProperty = keyof DeviceEntity;

/** Most of a row's bytes. Lists show none of them. */
const KEY_PROPERTIES = ['publicKey', 'encryptionKey', 'thumbprint', 'enrollment'] as const satisfies DeviceProperty[];
/** Read from `device_presence` instead, or together with it. */
const PRESENCE_PROPERTIES = [
  'online',
  'presenceInstance',
  'presenceEpoch',
  'presenceCapabilities',
  'lastSeenAt',
] as const satisfies DeviceProperty[];

const ONLINE = 'coalesce(p.online, false)';
const LAST_SEEN_AT = 'greatest(d.last_seen_at, p.changed_at)';
const FROM_DEVICES = 'FROM devices d LEFT JOIN device_presence p ON p.device_id = d.id';

const selectRows = (omitted: readonly DeviceProperty[]) =>
  `SELECT ${selectEntityColumns(DeviceEntity, 'd', [...PRESENCE_PROPERTIES, ...omitted])},
          ${ONLINE} AS online, ${LAST_SEEN_AT} AS last_seen_at ${FROM_DEVICES}`;
const SELECT_ENTITIES = `
  SELECT ${selectEntityProperties(DeviceEntity, 'd', PRESENCE_PROPERTIES)},
         ${ONLINE} AS online, ${LAST_SEEN_AT} AS "lastSeenAt" ${FROM_DEVICES}`;

/** Device with its presence. */
export type DeviceRecord = Omit<DeviceEntity, (typeof PRESENCE_PROPERTIES)[number]> &
  Required<Pick<DeviceEntity, 'online' | 'lastSeenAt'>>;
export type DeviceRow = RowOf<DeviceRecord>;

type DeviceListRow = RowOf<Omit<DeviceRecord, (typeof KEY_PROPERTIES)[number]>>;

@Injectable()
export class DevicesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Returns false when the signing key already belongs to a device, revoked or not. */
  insert(device: DeviceEntity): Promise<boolean> {
    return this.unitOfWork.insertOrIgnore(DeviceEntity, device);
  }

  async findByThumbprint(thumbprint: string): Promise<DeviceRecord | null> {
    const [device] = await this.findDevices('d.thumbprint = $1', [thumbprint]);
    return device ?? null;
  }

  async find(accountId: string, id: string): Promise<DeviceRecord | null> {
    const [device] = await this.findDevices('d.account_id = $1 AND d.id = $2', [accountId, id]);
    return device ?? null;
  }

  /** Returns null for a device that is not revoked. */
  async findRevokedFingerprint(id: string): Promise<string | null> {
    const [row] = await this.unitOfWork.queryRows<{ fingerprint: string }>(
      'SELECT fingerprint FROM devices WHERE id = $1 AND revoked_at IS NOT NULL',
      [id],
    );
    return row?.fingerprint ?? null;
  }

  listDevices(accountId: string, query: PageQueryDto): Promise<Page<DeviceListRow>> {
    return this.pager.readPage<DeviceListRow>(
      {
        name: 'devices',
        ownerId: accountId,
        select: selectRows(KEY_PROPERTIES),
        key: creationOrderKey('d'),
        where: (_, bind) => [`d.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  /** Returns the account's devices of a platform, newest first. The plan limits how many devices there are. */
  findByPlatform(accountId: string, platform: string): Promise<DeviceRecord[]> {
    return this.findDevices('d.account_id = $1 AND d.platform = $2 ORDER BY d.created_at DESC, d.id DESC', [
      accountId,
      platform,
    ]);
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
  async renameDevice(accountId: string, id: string, name: string, renamedAt: Date): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(DeviceEntity, { accountId, id }, { name, renamedAt });
    return affected === 1;
  }

  async revokeDevice(accountId: string, id: string, at: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE devices SET revoked_at = $3
        WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL`,
      [accountId, id, at],
    );
    await this.unitOfWork.queryRows(
      `INSERT INTO device_revocations (device_id, revoked_at)
       SELECT id, $2 FROM devices WHERE id = $1 ON CONFLICT (device_id) DO NOTHING`,
      [id, at],
    );
  }

  /** Revokes all devices of a deleted account, and frees their keys. The column is unique, as the id is. */
  async revokeAllDevices(accountId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE devices SET revoked_at = coalesce(revoked_at, now()), thumbprint = id
        WHERE account_id = $1 AND thumbprint <> id`,
      [accountId],
    );
  }

  /** Records the revocation of all devices, which instances look for after an outage of their database. */
  async recordAllRevocations(accountId: string, revokedAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO device_revocations (device_id, revoked_at)
       SELECT id, $2 FROM devices WHERE account_id = $1 ON CONFLICT (device_id) DO NOTHING`,
      [accountId, revokedAt],
    );
  }

  /** Reads all columns of the account's devices. Secrets are not stored. */
  scanDevices(accountId: string): AsyncGenerator<DeviceRow> {
    return streamRows(this.unitOfWork, `${selectRows([])} WHERE d.account_id = $1`, 'd', accountId);
  }

  async updateLastSeen(id: string, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(DeviceEntity, { id }, { lastSeenAt: at });
  }

  private findDevices(condition: string, parameters: unknown[]): Promise<DeviceRecord[]> {
    return this.unitOfWork.queryRows<DeviceRecord>(`${SELECT_ENTITIES} WHERE ${condition}`, parameters);
  }
}
