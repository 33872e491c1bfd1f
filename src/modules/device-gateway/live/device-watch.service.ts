import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import { ChangeSignals } from '../../../core/redis';
import { type DeviceConnection, LIVE_CAPABILITIES, type ReceivedWatchLease, RelayBus } from '../../relay-bus';
import { DeviceGateway } from '../device.gateway';
import { buildDeviceSignal } from './device-signals';
import { WatchLeaseRegistry } from './watch-lease-registry';

const CLEANUP_INTERVAL_MS = 5_000;

/**
 * Asks the devices of this instance for the live output that any instance watches. When a device has connected, a
 * signal goes to the other instances, because what they watch is unknown to an instance that gets the device anew.
 */
@Injectable()
export class DeviceWatchService implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Connections that have got `hello`. A device expects nothing before. */
  private readonly readyConnections = new WeakSet<DeviceConnection>();
  private readonly cleanupTask = new PeriodicTask('watch lease cleanup', CLEANUP_INTERVAL_MS, () =>
    this.watchLeaseRegistry.removeExpired(this.bus.getServerTime()),
  );

  constructor(
    private readonly bus: RelayBus,
    private readonly deviceGateway: DeviceGateway,
    private readonly watchLeaseRegistry: WatchLeaseRegistry,
    private readonly changeSignals: ChangeSignals,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.receivedLeases.subscribe((lease) => this.recordLease(lease));
    this.deviceGateway.connectedDevices.subscribe((connection) => this.handleConnected(connection));
    this.cleanupTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.cleanupTask.stop();
  }

  private recordLease(lease: ReceivedWatchLease): void {
    const connection = this.bus.findConnection(lease.accountId, lease.deviceId);
    if (!connection?.capabilities.includes(LIVE_CAPABILITIES[lease.topic.type])) return;
    const request = this.watchLeaseRegistry.recordLease(lease, this.bus.getServerTime());
    if (request && this.readyConnections.has(connection)) connection.sendWatchRequest(request.topic, request.until);
  }

  private handleConnected(connection: DeviceConnection): void {
    if (!Object.values(LIVE_CAPABILITIES).some((capability) => connection.capabilities.includes(capability))) return;
    this.readyConnections.add(connection);
    const { deviceId } = connection.device;
    for (const { topic, until } of this.watchLeaseRegistry.listRequests(deviceId, this.bus.getServerTime())) {
      connection.sendWatchRequest(topic, until);
    }
    this.changeSignals.sendSignal(buildDeviceSignal(deviceId));
  }
}
