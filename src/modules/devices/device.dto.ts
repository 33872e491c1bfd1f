import { ApiProperty } from '@nestjs/swagger';
import type { DeviceKind } from '../../access/auth';
import { DisplayName, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { DeviceRecord, DeviceRow } from './devices.repository';

/** Platform of a recovery key, an account device on paper (docs/protocol/device-api.md#recovery). */
export const RECOVERY_KEY_PLATFORM = 'paper';

/** Device as returned by the API (docs/protocol/device-api.md#devices). */
export class DeviceDto {
  @IdField('dev')
  id!: string;

  @ObjectTypeField('device')
  object!: 'device';

  @ApiProperty({ type: String, enum: ['account', 'machine'], example: 'account' })
  kind!: DeviceKind;

  /** @example laptop */
  name!: string;

  /** @example linux */
  platform!: string;

  @ApiProperty({ type: String, enum: ['online', 'offline', 'revoked'], example: 'online' })
  state!: 'online' | 'offline' | 'revoked';

  /**
   * What people compare when they pair the device.
   * @example 7K3M-9QX2-ABCD-0123
   */
  fingerprint!: string;

  @UnixTimeField()
  createdAt!: number;

  /** Time of the last sign-in, connection or call. For calls it is updated at most once a minute. */
  @UnixTimeField()
  lastSeenAt!: number | null;
}

export class RenameDeviceDto {
  /** New name of the device. */
  @DisplayName(100, 'laptop')
  name!: string;
}

type DeviceDtoColumns = Pick<
  DeviceRow,
  'id' | 'kind' | 'name' | 'platform' | 'fingerprint' | 'online' | 'created_at' | 'last_seen_at' | 'revoked_at'
>;

type DeviceDtoProperties = Pick<
  DeviceRecord,
  'id' | 'kind' | 'name' | 'platform' | 'fingerprint' | 'online' | 'createdAt' | 'lastSeenAt' | 'revokedAt'
>;

export function toDeviceDto(row: DeviceDtoColumns): DeviceDto {
  return {
    id: row.id,
    object: 'device',
    kind: row.kind,
    name: row.name,
    platform: row.platform,
    state: row.revoked_at ? 'revoked' : row.online ? 'online' : 'offline',
    fingerprint: row.fingerprint,
    createdAt: row.created_at.getTime(),
    lastSeenAt: row.last_seen_at?.getTime() ?? null,
  };
}

export function deviceEntityToDto(device: DeviceDtoProperties): DeviceDto {
  const { createdAt, lastSeenAt, revokedAt, ...rest } = device;
  return toDeviceDto({ ...rest, created_at: createdAt, last_seen_at: lastSeenAt, revoked_at: revokedAt });
}
