import type { DeviceRow } from './devices.repository';
import type { DeviceEntity } from './device.entity';

/** Device as returned by the API (docs/protocol/device-api.md#devices). */
export interface DeviceDto {
  id: string;
  object: 'device';
  kind: 'account' | 'machine';
  name: string;
  platform: string;
  state: 'online' | 'offline' | 'revoked';
  fingerprint: string;
  createdAt: number;
  lastSeenAt: number | null;
}

type DeviceDtoColumns = Pick<
  DeviceRow,
  'id' | 'kind' | 'name' | 'platform' | 'fingerprint' | 'online' | 'created_at' | 'last_seen_at' | 'revoked_at'
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

export function deviceEntityToDto(device: DeviceEntity): DeviceDto {
  const { createdAt, lastSeenAt, revokedAt, ...rest } = device;
  return toDeviceDto({ ...rest, created_at: createdAt, last_seen_at: lastSeenAt, revoked_at: revokedAt });
}
