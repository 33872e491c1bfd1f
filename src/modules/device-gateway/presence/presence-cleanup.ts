import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import { Clock, MINUTE } from '../../../common/clock';
import { InstanceRegistry } from '../../../core/instances';
import { MachinesService } from '../../machines';
import { UnitOfWork } from '../../../core/database';
import { type StaleDevicePresence, RelayCluster } from '../../relay-bus';
import { PresenceRepository } from './presence.repository';
import { PreviousReleasePresenceRepository } from './previous-release-presence.repository';

const CLEANUP_INTERVAL_MS = 5_000;
const REPAIR_TASK = 'presence repair';
const REPAIR_INTERVAL_MS = MINUTE;

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

  private readonly repairTask = new PeriodicTask(REPAIR_TASK, REPAIR_INTERVAL_MS, () => this.repairPresence());

  constructor(
    @Inject(RelayCluster) private readonly cluster: RelayCluster | null,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly unitOfWork: UnitOfWork,
    private readonly presence: PresenceRepository,
    private readonly previousRelease: PreviousReleasePresenceRepository,
    private readonly machines: MachinesService,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.removeDeadPresence();
    this.cleanupTask.start();
    this.repairTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.cleanupTask.stop(), this.repairTask.stop()]);
  }

  private async removeDeadPresence(): Promise<void> {
    try {
      await this.removePresence(await this.markDeadDevicesOffline());
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
      return deadInstances.length > 0 ? this.markInstancesOffline(deadInstances) : [];
    });
  }

  /** Corrects what an instance of an older release has left. One instance does it for all. */
  private async repairPresence(): Promise<void> {
    if (!(await this.instanceRegistry.claimRun(REPAIR_TASK, REPAIR_INTERVAL_MS))) return;
    const instances = await this.presence.findUnregisteredInstances();
    if (instances.length > 0)
      await this.removePresence(await this.unitOfWork.runInTransaction(() => this.markInstancesOffline(instances)));
    await this.presence.queueUnpublishedStates();
  }

  private async markInstancesOffline(instances: string[]): Promise<StaleDevicePresence[]> {
    const { devices, turned } = await this.presence.markInstancesOffline(instances, this.clock.currentDate());
    this.machines.notifyStateChanges('offline', turned);
    return devices;
  }

  private async removePresence(devices: StaleDevicePresence[]): Promise<void> {
    await this.cluster?.removePresence(devices);
    if (!this.instanceRegistry.isOlderReleaseRunning) return;
    for (const { deviceId } of devices)
      await this.unitOfWork.runInTransaction(() => this.previousRelease.copyPresence(deviceId));
  }
}
