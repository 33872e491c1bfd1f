import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Subject } from 'rxjs';
import { Config } from '../config';
import { InstancesRepository } from './instances.repository';

const HEARTBEAT_MS = 2_000;
/** So long without a sign of life, an instance counts as dead. */
const DEAD_AFTER_MS = 10_000;

/**
 * The processes that serve this database: which one is this, and which others live? They sign in PostgreSQL, on its
 * clock, so that the answer does not depend on Redis.
 */
@Injectable()
export class Instances implements OnModuleInit, OnApplicationShutdown {
  /** Names this process, anew at each start. */
  readonly self = randomUUID();
  /** This instance was taken for dead, and what it had was ended; it lives. */
  readonly revived = new Subject<void>();
  private readonly logger = new Logger('Instances');
  private readonly isAlone: boolean;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    { redisUrl }: Config,
    private readonly instances: InstancesRepository,
  ) {
    this.isAlone = redisUrl === null;
  }

  async onModuleInit(): Promise<void> {
    if (this.isAlone) await this.instances.endOthers(this.self);
    await this.instances.sign(this.self);
    if (!this.isAlone) this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.instances.end(this.self).catch(() => undefined);
  }

  isAlive(instance: string): Promise<boolean> {
    if (this.isAlone || instance === this.self) return Promise.resolve(instance === this.self);
    return this.instances.isAlive(instance, DEAD_AFTER_MS);
  }

  /** In the caller's transaction: the ids of other instances that died. Each is given once, to one caller that commits. */
  reap(): Promise<string[]> {
    return this.instances.reap(this.self, DEAD_AFTER_MS);
  }

  private async beat(): Promise<void> {
    try {
      if (await this.instances.sign(this.self)) this.revived.next();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'no sign of life could be given');
    }
  }
}
