import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { answered, openRedis, RedisSilence } from '../../../persistence';
import { decode, encode, type Head } from './envelope';
import { CHANNEL_PREFIX } from './keys';
import { defineScripts } from './scripts';

const COMMAND_MS = 1_000;
/** An instance hears its own tick every two seconds: a subscription that is silent for longer is dead. */
const SILENCE_MS = 5_000;

export interface LinkHandlers {
  onMessage: (head: Head & { version: number }, body: string) => void;
  /** Both connections stand and messages come in, for the first time or again. */
  onUp: () => void;
}

/** An instance's two connections to Redis: one for commands, in order, and one that listens to its own channel. */
export class RedisLink {
  readonly commands: Redis;
  private readonly subscriber: Redis;
  private readonly logger = new Logger('RelayBus');
  private subscribed = false;
  private isAnnounced = false;
  private subscribing: Promise<void> = Promise.resolve();
  private heardAt = 0;
  /** A command that got no answer may have been carried out: until one is answered, nothing is tried. */
  private suspect = false;
  private handlers: LinkHandlers | null = null;

  constructor(
    url: string,
    private readonly instance: string,
  ) {
    this.commands = this.open(url);
    this.subscriber = this.open(url);
    defineScripts(this.commands);
  }

  /** Whether a command sent now has every prospect of an answer. */
  get isUp(): boolean {
    return this.commands.status === 'ready' && this.subscribed && !this.suspect;
  }

  /** Resolves when it is up, or when the first attempt has failed: it goes on trying by itself. */
  async start(handlers: LinkHandlers): Promise<void> {
    this.handlers = handlers;
    this.subscriber.on('message', (_channel, message) => this.receive(message));
    this.subscriber.on('close', () => this.onDown());
    this.commands.on('close', () => this.onDown());
    this.subscriber.on('ready', () => {
      this.subscribing = this.subscribe();
    });
    this.commands.on('ready', () => this.announce());
    await Promise.all([this.commands, this.subscriber].map((redis) => redis.connect().catch(() => undefined)));
    await this.subscribing;
  }

  /** How many instances got it: one or none. */
  publish(instance: string, head: Head, body?: string): Promise<number> {
    return this.guard(() => this.commands.publish(CHANNEL_PREFIX + instance, encode(head, body)));
  }

  /** Runs a command and learns from it whether Redis answers. */
  async guard<T>(command: () => Promise<T>): Promise<T> {
    const sent = command();
    // An answer that comes late still says that Redis is within reach again.
    void sent.then(
      () => (this.suspect = false),
      () => undefined,
    );
    try {
      return await answered(sent, COMMAND_MS);
    } catch (error) {
      if (error instanceof RedisSilence) this.suspect = true;
      throw error;
    }
  }

  /**
   * Redis answers, and should be heard on the other connection too.
   * @param subscribers that it has for this instance's channel: none, where it handed over to a replica that this
   *   instance still listens to
   */
  expectTick(subscribers: number): void {
    const isDeaf = subscribers === 0 || performance.now() - this.heardAt > SILENCE_MS;
    if (!this.subscribed || !isDeaf) return;
    this.logger.warn('nothing is heard from Redis: subscribing anew');
    this.subscribed = false;
    this.dropSubscriber();
  }

  stop(): void {
    this.handlers = null;
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  private open(url: string): Redis {
    return openRedis(url, {
      lazyConnect: true,
      // A publish must never be sent again: its call may have run.
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
    });
  }

  private async subscribe(): Promise<void> {
    try {
      await answered(this.subscriber.subscribe(CHANNEL_PREFIX + this.instance), COMMAND_MS);
      this.subscribed = true;
      this.heardAt = performance.now();
      this.announce();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'no subscription: trying again');
      this.dropSubscriber();
    }
  }

  /** Not by `disconnect`: a connection that is only ended waits for the other side, which may say nothing. */
  private dropSubscriber(): void {
    const { stream } = this.subscriber as { stream?: Redis['stream'] };
    stream?.destroy();
  }

  private announce(): void {
    if (this.commands.status !== 'ready' || !this.subscribed) return;
    this.suspect = false;
    this.isAnnounced = true;
    this.logger.log('devices of all instances are within reach');
    this.handlers?.onUp();
  }

  private onDown(): void {
    if (this.isAnnounced && this.handlers) this.logger.warn('only devices of this instance are within reach');
    this.isAnnounced = false;
    if (this.subscriber.status !== 'ready') this.subscribed = false;
  }

  private receive(message: string): void {
    this.heardAt = performance.now();
    const decoded = decode(message);
    if (!decoded) return this.logger.warn({ bytes: message.length }, 'a message that is none was dropped');
    try {
      this.handlers?.onMessage(decoded.head, decoded.body);
    } catch (error) {
      this.logger.error({ type: decoded.head.type, err: error as Error }, 'a message could not be read');
    }
  }
}

/** Whether Redis certainly did not carry it out: it said so, or nothing was sent. */
export function wasNotCarriedOut(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'ReplyError' || /isn't writeable/.test(message);
}
