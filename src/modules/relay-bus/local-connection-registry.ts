import type { Capability, SyncNotificationMessage } from '@external-api/protocol';
import type { DeviceConnection } from './device-connection';
import type { DeviceCandidate } from './relay-call';

/** The devices of an account that get a sync notification: account devices, and the machine that hosts the record. */
export interface SyncNotificationAudience {
  /** The device that made the change. */
  exceptDeviceId: string | null;
  /** Absent in messages of the previous release: then no machine device is notified. */
  hostDeviceId?: string | null;
  /** For several changes at once: devices that made one of them, and the id of its resource. */
  ownChanges?: Record<string, string>;
}

/** Device connections of this instance by account. The newest connection of a device is its current one. */
export class LocalConnectionRegistry {
  private readonly connectionsByAccount = new Map<string, Map<string, DeviceConnection>>();
  private readonly allConnections = new Set<DeviceConnection>();

  /** Returns the connection that is superseded, if any: the one with the lower epoch, which may be the added one. */
  addConnection(connection: DeviceConnection): DeviceConnection | undefined {
    const { accountId, deviceId } = connection.device;
    this.allConnections.add(connection);
    const devices = this.connectionsByAccount.get(accountId) ?? new Map<string, DeviceConnection>();
    this.connectionsByAccount.set(accountId, devices);
    const current = devices.get(deviceId);
    if (current && current.epoch > connection.epoch) return connection;
    // A connection that one to another instance has replaced is not current any more.
    if (current?.isCurrent) connection.presentSince = current.presentSince;
    devices.set(deviceId, connection);
    return current;
  }

  removeConnection(connection: DeviceConnection): void {
    const { accountId, deviceId } = connection.device;
    this.allConnections.delete(connection);
    const devices = this.connectionsByAccount.get(accountId);
    if (devices?.get(deviceId) !== connection) return;
    devices.delete(deviceId);
    if (devices.size === 0) this.connectionsByAccount.delete(accountId);
  }

  get connectionCount(): number {
    return this.allConnections.size;
  }

  listConnections(): Iterable<DeviceConnection> {
    return this.allConnections;
  }

  sendSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    { exceptDeviceId, hostDeviceId, ownChanges = {} }: SyncNotificationAudience,
  ): void {
    for (const [deviceId, connection] of this.connectionsByAccount.get(accountId) ?? []) {
      const canRead = connection.device.deviceKind === 'account' || deviceId === hostDeviceId;
      if (!canRead || deviceId === exceptDeviceId) continue;
      const ownId = ownChanges[deviceId];
      const received = ownId === undefined ? notification : omitChange(notification, ownId);
      if (received) connection.sendSyncNotification(received);
    }
  }

  findConnection(accountId: string, deviceId: string): DeviceConnection | undefined {
    return this.connectionsByAccount.get(accountId)?.get(deviceId);
  }

  chooseConnection(
    accountId: string,
    candidates: readonly DeviceCandidate[],
    capability: Capability,
  ): DeviceConnection | undefined {
    const devices = this.connectionsByAccount.get(accountId);
    if (!devices) return undefined;
    for (const candidate of candidates) {
      const connection =
        'deviceId' in candidate ? devices.get(candidate.deviceId) : findNewestConnection(devices, capability);
      if (connection?.capabilities.includes(capability)) return connection;
    }
    return undefined;
  }
}

/** Returns the notification without the change of this resource, or null if nothing is left. */
function omitChange({ more = [], ...first }: SyncNotificationMessage, id: string): SyncNotificationMessage | null {
  const [next, ...others] = [first, ...more].filter((change) => change.id !== id);
  return next ? { ...next, ...(others.length > 0 && { more: others }) } : null;
}

function findNewestConnection(
  devices: Map<string, DeviceConnection>,
  capability: Capability,
): DeviceConnection | undefined {
  let newestConnection: DeviceConnection | undefined;
  for (const connection of devices.values()) {
    const isEligible = connection.device.deviceKind === 'account' && connection.capabilities.includes(capability);
    if (isEligible && (!newestConnection || connection.epoch > newestConnection.epoch)) newestConnection = connection;
  }
  return newestConnection;
}
