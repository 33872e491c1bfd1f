import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { UnitOfWork } from '../../../core/database';
import { MachinesService } from '../../machines';
import { PresenceRepository } from './presence.repository';

/** Shorter states are not published (docs/protocol/webhooks.md#events). */
const MIN_STATE_DURATION_MS = 5 * SECOND;
const PUBLISH_INTERVAL_MS = SECOND;
const BATCH_SIZE = 100;

/** Publishes `machine.online` and `machine.offline` after a state has lasted. One instance publishes each change. */
@Injectable()
export class MachineStatePublisher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly publishingTask = new PeriodicTask('machine state publishing', PUBLISH_INTERVAL_MS, () =>
    this.publishStateChanges(),
  );

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly presence: PresenceRepository,
    private readonly machines: MachinesService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.publishingTask.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.publishingTask.stop();
  }

  /** Returns true when more changes may be due. */
  private publishStateChanges(): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async () => {
      const changedBefore = new Date(this.clock.now() - MIN_STATE_DURATION_MS);
      const deviceIds = await this.presence.claimStateChanges(changedBefore, BATCH_SIZE);
      if (deviceIds.length > 0) await this.machines.publishStates(deviceIds);
      return deviceIds.length === BATCH_SIZE;
    });
  }
}
