import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Subject } from 'rxjs';
import { Clock } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { Config } from '../config';
import { HEARTBEAT_MS, HeartbeatTolerance } from './heartbeat-tolerance';
import { InstancesRepository } from './instances.repository';

/** Part of an interval that a run lasts: timers of an instance are not exact, and its next tick must find it over. */
const RUN_SHARE = 0.9;

/**
 * Registry of the processes that serve this database. Instances record heartbeats in PostgreSQL, by its clock, so that
 * their liveness doesn't depend on Redis.
 */
@Injectable()
export class InstanceRegistry implements OnModuleInit, OnApplicationShutdown {
  /** Id of this process, new at each start. */
  readonly ownInstanceId = randomUUID();
  /** Emits when this instance finds that others have considered it dead and have ended its connections and calls. */
  readonly recovered = new Subject<void>();
  /** Emits when an instance of a release with older tables has started. */
  readonly olderReleaseAppeared = new Subject<void>();
  private readonly logger = new Logger('InstanceRegistry');
  private readonly isSingleInstance: boolean;
  private readonly tolerance: HeartbeatTolerance;
  private hasOlderRelease = false;
  private readonly heartbeatTask = new PeriodicTask('instance heartbeat', HEARTBEAT_MS, () => {
    // Does not wait, so that a heartbeat on a hanging connection does not delay the next one.
    void this.sendHeartbeat();
    return Promise.resolve();
  });

  constructor(
    { redisUrl }: Config,
    private readonly instancesRepository: InstancesRepository,
    clock: Clock,
  ) {
    this.isSingleInstance = redisUrl === null;
    this.tolerance = new HeartbeatTolerance(clock);
  }

  async onModuleInit(): Promise<void> {
    if (this.isSingleInstance) await this.instancesRepository.markOthersStopped(this.ownInstanceId);
    const { olderRunning } = await this.instancesRepository.recordHeartbeat(
      this.ownInstanceId,
      this.tolerance.getDeadAfterMs(),
    );
    this.hasOlderRelease = olderRunning;
    if (!this.isSingleInstance) this.heartbeatTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.heartbeatTask.stop();
    await this.instancesRepository.markStopped(this.ownInstanceId).catch(() => undefined);
  }

  /**
   * Whether an instance of a release with older tables runs beside this one, as during a deploy. Known from the last
   * heartbeat, so at most two seconds late.
   */
  get isOlderReleaseRunning(): boolean {
    return this.hasOlderRelease;
  }

  isAlive(instanceId: string): Promise<boolean> {
    if (this.isSingleInstance || instanceId === this.ownInstanceId)
      return Promise.resolve(instanceId === this.ownInstanceId);
    return this.instancesRepository.isAlive(instanceId, this.tolerance.getDeadAfterMs());
  }

  /**
   * Returns whether this instance runs the periodic task now, which one instance does in each interval. Another one
   * runs it in the next interval, also if this one dies meanwhile.
   * @param intervalMs interval at which every instance calls this
   */
  claimRun(task: string, intervalMs: number): Promise<boolean> {
    if (this.isSingleInstance) return Promise.resolve(true);
    return this.instancesRepository.claimRun(task, intervalMs * RUN_SHARE);
  }

  /**
   * Deletes other instances that died and returns their ids, in the caller's transaction. Only one caller that commits
   * receives each id.
   */
  deleteDeadInstances(): Promise<string[]> {
    return this.instancesRepository.deleteDeadInstances(this.ownInstanceId, this.tolerance.getDeadAfterMs());
  }

  private async sendHeartbeat(): Promise<void> {
    try {
      const { created, olderRunning } = await this.instancesRepository.recordHeartbeat(
        this.ownInstanceId,
        this.tolerance.getDeadAfterMs(),
      );
      this.tolerance.recordHeartbeat();
      const hasAppeared = olderRunning && !this.hasOlderRelease;
      this.hasOlderRelease = olderRunning;
      if (created) this.recovered.next();
      if (hasAppeared) this.olderReleaseAppeared.next();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'instance heartbeat failed');
    }
  }
}
