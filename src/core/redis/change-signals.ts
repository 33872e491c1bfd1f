import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Subject, type Observable } from 'rxjs';
import { Config } from '../config';
import { openRedisConnection, REDIS_CLIENT } from './open-redis';

const CHANNEL = 'changes';
/** Longer messages were not sent by an instance. */
const MAX_KEY_LENGTH = 200;

/**
 * Signals between instances that a record has changed. A signal may be lost and carries nothing but a key, so that a
 * receiver reads the record itself and also looks at it from time to time.
 */
@Injectable()
export class ChangeSignals implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('ChangeSignals');
  private readonly receivedKeys = new Subject<string>();
  private readonly subscriber: Redis | null;

  constructor(
    { redisUrl }: Config,
    @Inject(REDIS_CLIENT) private readonly redis: Redis | null,
  ) {
    this.subscriber = redisUrl ? openRedisConnection(redisUrl, { lazyConnect: true, autoResubscribe: false }) : null;
  }

  /** Keys of changed records, from all instances. With Redis, signals of this instance may arrive twice. */
  get changedKeys(): Observable<string> {
    return this.receivedKeys;
  }

  onModuleInit(): void {
    if (!this.subscriber) return;
    this.subscriber.on('message', (_channel, key: string) => {
      if (key.length <= MAX_KEY_LENGTH) this.receivedKeys.next(key);
    });
    this.subscriber.on('ready', () => {
      this.subscriber?.subscribe(CHANNEL).catch((error: Error) => {
        this.logger.warn({ reason: error.message }, 'change signal subscription failed');
      });
    });
    void this.subscriber.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.subscriber?.disconnect();
  }

  /** Call it after the change has committed. */
  sendSignal(key: string): void {
    this.receivedKeys.next(key);
    this.redis?.publish(CHANNEL, key).catch((error: Error) => {
      this.logger.debug({ reason: error.message }, 'change signal failed');
    });
  }
}
