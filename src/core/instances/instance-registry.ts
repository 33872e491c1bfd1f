import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Subject } from 'rxjs';
import { PeriodicTask } from '../../common/periodic-task';
import { Config } from '../config';
import { InstancesRepository } from './instances.repository';

const HEARTBEAT_MS = 2_000;
/** Time without a heartbeat after which an instance counts as dead. */
const DEAD_AFTER_MS = 10_000;

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
  private readonly logger = new Logger('InstanceRegistry');
  private readonly isSingleInstance: boolean;
  private readonly heartbeatTask = new PeriodicTask('instance heartbeat', HEARTBEAT_MS, () => {
    // Does not wait, so that a heartbeat on a hanging connection does not delay the next one.
    void this.sendHeartbeat();
    return Promise.resolve();
  });

  constructor(
    { redisUrl }: Config,
    private readonly instancesRepository: InstancesRepository,
  ) {
    this.isSingleInstance = redisUrl === null;
  }

  async onModuleInit(): Promise<void> {
    if (this.isSingleInstance) await this.instancesRepository.markOthersStopped(this.ownInstanceId);
    await this.instancesRepository.recordHeartbeat(this.ownInstanceId);
    if (!this.isSingleInstance) this.heartbeatTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.heartbeatTask.stop();
    await this.instancesRepository.markStopped(this.ownInstanceId).catch(() => undefined);
  }

  isAlive(instanceId: string): Promise<boolean> {
    if (this.isSingleInstance || instanceId === this.ownInstanceId)
      return Promise.resolve(instanceId === this.ownInstanceId);
    return this.instancesRepository.isAlive(instanceId, DEAD_AFTER_MS);
  }

  /**
   * Deletes other instances that died and returns their ids, in the caller's transaction. Only one caller that commits
   * receives each id.
   */
  deleteDeadInstances(): Promise<string[]> {
    return this.instancesRepository.deleteDeadInstances(this.ownInstanceId, DEAD_AFTER_MS);
  }

  private async sendHeartbeat(): Promise<void> {
    try {
      if (await this.instancesRepository.recordHeartbeat(this.ownInstanceId)) this.recovered.next();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'instance heartbeat failed');
    }
  }
}
