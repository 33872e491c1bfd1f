import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { withTimeout, openRedisConnection, RedisTimeoutError } from '../../../../core/redis';
import type { BusMetrics } from './bus-metrics';
import type { EnvelopeHead, EnvelopeStamp } from './envelope';
import { EnvelopeCodec, type RejectionReason } from './envelope-codec';
import { CHANNEL_PREFIX } from './redis-keys';
import { defineRelayScripts } from './scripts';

const COMMAND_TIMEOUT_MS = 1_000;
/** An instance receives its own tick every two seconds, so a subscription that is silent for longer is dead. */
const MAX_SUBSCRIBER_SILENCE_MS = 5_000;
/** Every rejected message is counted. At most one per interval is logged. */
const REJECTION_LOG_INTERVAL_MS = 10_000;

export interface RedisConnectionHandlers {
  onMessage: (head: EnvelopeHead & EnvelopeStamp, body: string) => void;
  /** Called when both connections are ready and the subscription is active, also after each reconnect. */
  onConnected: () => void;
}

/** Two connections to Redis: one for commands, in order, and one that subscribes to the instance's own channel. */
export class RedisConnection {
  readonly commands: Redis;
  private readonly subscriber: Redis;
  private readonly logger = new Logger('RelayBus');
  private isSubscribed = false;
  private isAnnounced = false;
  private pendingSubscription: Promise<void> = Promise.resolve();
  private lastMessageAt = 0;
  /** Set when a command timed out: it may have run, so nothing more is sent until Redis answers again. */
  private isSuspect = false;
  private handlers: RedisConnectionHandlers | null = null;
  private rejectionLoggedAt = -Infinity;

  constructor(
    url: string,
    readonly codec: EnvelopeCodec,
    private readonly metrics: BusMetrics,
  ) {
    this.commands = this.openClient(url);
    this.subscriber = this.openClient(url);
    defineRelayScripts(this.commands);
  }

  /** Whether a command sent now can be expected to be answered. */
  get isUp(): boolean {
    return this.commands.status === 'ready' && this.isSubscribed && !this.isSuspect;
  }

  /** Resolves when both connections are ready or the first attempt failed. Reconnects automatically. */
  async start(handlers: RedisConnectionHandlers): Promise<void> {
    this.handlers = handlers;
    this.subscriber.on('message', (_channel, message) => this.handleMessage(message));
    this.subscriber.on('close', () => this.handleDisconnect());
    this.commands.on('close', () => this.handleDisconnect());
    this.subscriber.on('ready', () => {
      this.pendingSubscription = this.subscribeToChannel();
    });
    this.commands.on('ready', () => this.announceConnected());
    await Promise.all([this.commands, this.subscriber].map((redis) => redis.connect().catch(() => undefined)));
    await this.pendingSubscription;
  }

  /** Returns the number of instances that received the message: one or none. */
  publishEnvelope(instance: string, envelopeHead: EnvelopeHead, body?: string): Promise<number> {
    return this.publishMessage(instance, this.codec.encode(envelopeHead, instance, body));
  }

  private publishMessage(instance: string, message: string): Promise<number> {
    return this.executeCommand(() => this.commands.publish(CHANNEL_PREFIX + instance, message));
  }

  /** Runs a command with a timeout and records whether Redis answers. */
  async executeCommand<T>(command: () => Promise<T>): Promise<T> {
    const reply = command();
    // A late reply still shows that Redis is reachable again.
    void reply.then(
      () => (this.isSuspect = false),
      () => undefined,
    );
    try {
      return await withTimeout(reply, COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof RedisTimeoutError) this.isSuspect = true;
      throw error;
    }
  }

  /**
   * Resubscribes if Redis answers commands while the subscription is dead.
   * @param subscriberCount number of subscribers that Redis reports for this instance's channel: 0 after a failover
   * while   this instance is still subscribed to the old primary
   */
  checkSubscription(subscriberCount: number): void {
    const isSilent = subscriberCount === 0 || performance.now() - this.lastMessageAt > MAX_SUBSCRIBER_SILENCE_MS;
    if (!this.isSubscribed || !isSilent) return;
    this.logger.warn('Redis subscription silent, resubscribing');
    this.isSubscribed = false;
    this.destroySubscriberStream();
  }

  stop(): void {
    this.handlers = null;
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  private openClient(url: string): Redis {
    return openRedisConnection(url, {
      lazyConnect: true,
      // A publish must never be repeated: its call may have run.
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
    });
  }

  private async subscribeToChannel(): Promise<void> {
    try {
      await withTimeout(this.subscriber.subscribe(CHANNEL_PREFIX + this.codec.instanceId), COMMAND_TIMEOUT_MS);
      this.isSubscribed = true;
      this.lastMessageAt = performance.now();
      this.announceConnected();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'Redis subscription failed');
      this.destroySubscriberStream();
    }
  }

  /** Destroys the stream. `disconnect` would wait for the peer to close, which it may never do. */
  private destroySubscriberStream(): void {
    const { stream } = this.subscriber as { stream?: Redis['stream'] };
    stream?.destroy();
  }

  private announceConnected(): void {
    if (this.commands.status !== 'ready' || !this.isSubscribed) return;
    this.isSuspect = false;
    this.isAnnounced = true;
    this.logger.log('Redis bus connected');
    this.handlers?.onConnected();
  }

  private handleDisconnect(): void {
    if (this.isAnnounced && this.handlers) this.logger.warn('Redis bus disconnected');
    this.isAnnounced = false;
    if (this.subscriber.status !== 'ready') this.isSubscribed = false;
  }

  private handleMessage(message: string): void {
    this.lastMessageAt = performance.now();
    const decoded = this.codec.decode(message);
    if (decoded.kind === 'rejected') {
      this.recordRejection(decoded.reason);
      if (decoded.reason === 'unsigned') this.refuseUnsignedCall(decoded.head);
      return;
    }
    try {
      this.handlers?.onMessage(decoded.head, decoded.body);
    } catch (error) {
      this.logger.error({ type: decoded.head.type, err: error as Error }, 'bus message handling failed');
    }
  }

  private recordRejection(reason: RejectionReason): void {
    this.metrics.rejectedMessages.inc({ reason });
    const now = performance.now();
    if (now - this.rejectionLoggedAt < REJECTION_LOG_INTERVAL_MS) return;
    this.rejectionLoggedAt = now;
    this.logger.warn({ reason }, 'rejected unauthenticated bus message');
  }

  /**
   * Refuses a call of the previous release, so that its caller does not have to wait. The refusal is unsigned.
   * Instances of this release ignore it, because anyone with access to Redis can provoke it.
   */
  private refuseUnsignedCall(envelopeHead: EnvelopeHead): void {
    if (envelopeHead.type !== 'request') return;
    const { callId, attempt, origin } = envelopeHead;
    const refusal = { type: 'answer', callId, attempt, deviceMs: 0, kind: 'refused' } as const;
    const message = EnvelopeCodec.encodeUnsigned({ ...refusal, reason: 'relay_unavailable' });
    this.publishMessage(origin, message).catch((error: Error) => {
      this.logger.debug({ requestId: callId, reason: error.message }, 'call refusal failed');
    });
  }
}

/** Whether the command certainly did not run: Redis replied with an error, or nothing was sent. */
export function isCommandNotExecuted(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'ReplyError' || /isn't writeable/.test(message);
}
