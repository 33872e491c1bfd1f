import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Config } from '../config';
import { publishMessage, REDIS_CLIENT, type RedisClient } from './redis-client';
import { Subscriber } from './subscriber';

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
  private readonly subscriber: Subscriber | null;

  constructor(
    { redisUrl }: Config,
    @Inject(REDIS_CLIENT) private readonly redis: RedisClient | null,
  ) {
    const onMessage = (key: string) => this.receiveKey(key);
    this.subscriber = redisUrl && redis ? new Subscriber(redisUrl, redis, CHANNEL, onMessage) : null;
  }

  /** Keys of changed records, from all instances. With Redis, signals of this instance may arrive twice. */
  get changedKeys(): Observable<string> {
    return this.receivedKeys;
  }

  onModuleInit(): void {
    const { subscriber, redis } = this;
    if (!subscriber || !redis) return;
    subscriber.connection.on('ready', () => {
      subscriber.subscribe().catch((error: Error) => {
        this.logger.warn({ reason: error.message }, 'change signal subscription failed');
      });
    });
    subscriber.connection.on('moved', () => subscriber.reconnect());
    redis.on('topologyChange', () => subscriber.isMisplaced && subscriber.reconnect());
    void subscriber.connection.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.subscriber?.connection.disconnect();
  }

  /** Call it after the change has committed. */
  sendSignal(key: string): void {
    this.receivedKeys.next(key);
    if (!this.redis) return;
    publishMessage(this.redis, CHANNEL, key).catch((error: Error) => {
      this.logger.debug({ reason: error.message }, 'change signal failed');
    });
  }

  private receiveKey(key: string): void {
    if (key.length <= MAX_KEY_LENGTH) this.receivedKeys.next(key);
  }
}
