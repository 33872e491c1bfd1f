import { RESOURCES, type DevicePermission } from '../../app.manifest';
import { forbiddenError } from '../../common/errors';
import type { AccessLevel } from '../../common/manifest';
import type { DeviceKind, DevicePrincipal } from './principal';

export type { DevicePermission };

/** Allow-list of actions per device kind, of all resources. */
export const DEVICE_PERMISSIONS = Object.assign(
  {},
  ...Object.values(RESOURCES).map(({ devicePermissions }) => devicePermissions),
) as Readonly<Record<DevicePermission, Record<DeviceKind, AccessLevel> & { what: string }>>;

/** Returns the device kinds whose access level is not `no`. */
export function getPermittedDeviceKinds(permission: DevicePermission): DeviceKind[] {
  const kinds: DeviceKind[] = ['account', 'machine'];
  return kinds.filter((kind) => getAccessLevel(kind, permission) !== 'no');
}

export function getAccessLevel(kind: DeviceKind, permission: DevicePermission): AccessLevel {
  return DEVICE_PERMISSIONS[permission][kind];
}

/** @throws ApiError 403 `forbidden` if devices of this kind don't have the permission */
export function requireDevicePermission({ deviceKind }: DevicePrincipal, permission: DevicePermission): void {
  if (getAccessLevel(deviceKind, permission) === 'no') throw forbiddenError(`A ${deviceKind} device may not do this.`);
}
