import type { Capability, ChangeHint } from '../../wire';
import type { DeviceConnection } from './device-connection';
import type { Candidate } from './relay-bus';

/** Which devices are connected here, by account; the newest connection of a device stands for it. */
export class LocalPresence {
  private readonly accounts = new Map<string, Map<string, DeviceConnection>>();
  private readonly all = new Set<DeviceConnection>();

  /** The connection that no longer stands for the device: the older of the two, if there are two. */
  add(connection: DeviceConnection): DeviceConnection | undefined {
    const { accountId, deviceId } = connection.device;
    this.all.add(connection);
    const devices = this.accounts.get(accountId) ?? new Map<string, DeviceConnection>();
    this.accounts.set(accountId, devices);
    const current = devices.get(deviceId);
    if (current && current.epoch > connection.epoch) return connection;
    devices.set(deviceId, connection);
    return current;
  }

  remove(connection: DeviceConnection): void {
    const { accountId, deviceId } = connection.device;
    this.all.delete(connection);
    const devices = this.accounts.get(accountId);
    if (devices?.get(deviceId) !== connection) return;
    devices.delete(deviceId);
    if (devices.size === 0) this.accounts.delete(accountId);
  }

  get size(): number {
    return this.all.size;
  }

  connections(): Iterable<DeviceConnection> {
    return this.all;
  }

  hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): void {
    for (const [deviceId, connection] of this.accounts.get(accountId) ?? []) {
      if (deviceId !== exceptDeviceId) connection.hint(change);
    }
  }

  find(accountId: string, deviceId: string): DeviceConnection | undefined {
    return this.accounts.get(accountId)?.get(deviceId);
  }

  choose(accountId: string, candidates: readonly Candidate[], capability: Capability): DeviceConnection | undefined {
    const devices = this.accounts.get(accountId);
    if (!devices) return undefined;
    for (const candidate of candidates) {
      const found = 'deviceId' in candidate ? devices.get(candidate.deviceId) : newest(devices, capability);
      if (found?.capabilities.includes(capability)) return found;
    }
    return undefined;
  }
}

function newest(devices: Map<string, DeviceConnection>, capability: Capability): DeviceConnection | undefined {
  let best: DeviceConnection | undefined;
  for (const connection of devices.values()) {
    const fits = connection.device.deviceKind === 'account' && connection.capabilities.includes(capability);
    if (fits && (!best || connection.epoch > best.epoch)) best = connection;
  }
  return best;
}
