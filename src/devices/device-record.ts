import type { DeviceRow } from './devices.repository';
import type { DeviceEntity } from './device.entity';

/** The device as the API shows it (device-api.md, Enrollment). */
export interface DeviceRecord {
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

export function toDeviceRecord(row: DeviceRow): DeviceRecord {
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

export function entityToDeviceRecord(device: DeviceEntity): DeviceRecord {
  const { createdAt, lastSeenAt, revokedAt, ...rest } = device;
  return toDeviceRecord({ ...rest, created_at: createdAt, last_seen_at: lastSeenAt, revoked_at: revokedAt });
}
