import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import { DevicesService, type StaleDevicePresence } from '../../devices';
import { InstanceRegistry } from '../../../core/instances';
import { MachinesService } from '../../machines';
import { UnitOfWork } from '../../../core/database';
import { RelayCluster } from '../bus/relay-cluster';

const CLEANUP_INTERVAL_MS = 5_000;

/** Sets devices of dead instances offline, including those of an earlier start of this process. */
@Injectable()
export class PresenceCleanup implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Presence');
  /** Does not wait: a statement on a hanging connection must delay neither the next cleanup nor the shutdown. */
  private readonly cleanupTask = new PeriodicTask(
    'presence cleanup',
    CLEANUP_INTERVAL_MS,
    () => void this.removeDeadPresence(),
  );

  constructor(
    @Inject(RelayCluster) private readonly cluster: RelayCluster | null,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.removeDeadPresence();
    this.cleanupTask.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.cleanupTask.stop();
  }

  private async removeDeadPresence(): Promise<void> {
    try {
      const devices = await this.markDeadDevicesOffline();
      await this.cluster?.removePresence(devices);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'presence cleanup failed');
    }
  }

  /**
   * Deletes dead instances and sets their devices offline in one transaction, so that neither happens without the
   * other.
   */
  private markDeadDevicesOffline(): Promise<StaleDevicePresence[]> {
    return this.unitOfWork.runInTransaction(async () => {
      const deadInstances = await this.instanceRegistry.deleteDeadInstances();
      const devices = await this.devices.markInstancesOffline(deadInstances);
      if (devices.length > 0) await this.machines.setOffline(devices.map(({ deviceId }) => deviceId));
      return devices;
    });
  }
}
