import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  ClusterClient,
  findServer,
  gatherWrites,
  openRedisClient,
  publishMessage,
  RedisTimeoutError,
  Subscriber,
  withTimeout,
  type RedisClient,
} from '../../../core/redis';
import type { BusMetrics } from './bus-metrics';
import type { EnvelopeHead, EnvelopeStamp } from './envelope';
import { EnvelopeCodec, type RejectionReason } from './envelope-codec';
import { buildChannel } from './redis-keys';
import { defineRelayScripts } from './scripts';

const COMMAND_TIMEOUT_MS = 1_000;
/** An instance receives its own tick every two seconds, so a subscription that is silent for longer is dead. */
const MAX_SUBSCRIBER_SILENCE_MS = 5_000;
/** For so long, calls wait for a subscription that moves to another node of a cluster. */
const MAX_MOVE_MS = 1_000;
const MOVE_CHECK_INTERVAL_MS = 20;
/** For so long, a subscription stays at a node of a cluster that has lost the channel without ending it. */
const MISPLACED_MS = 500;
/** For so long, nothing is sent to a node of a cluster that did not answer. */
const SUSPICION_MS = 1_000;
/** Every rejected message is counted. At most one per interval is logged. */
const REJECTION_LOG_INTERVAL_MS = 10_000;

export interface RedisConnectionHandlers {
  onMessage: (head: EnvelopeHead & EnvelopeStamp, body: string) => void;
  /** Called when both connections are ready and the subscription is active, also after each reconnect. */
  onConnected: () => void;
  /** Called when nodes of a cluster were lost or replaced, and entries with them. */
  onNodesChanged: () => void;
}

/**
 * Two connections to Redis: one for commands, in order, and one that subscribes to the instance's own channel. In a
 * cluster, the first one has a connection to each node.
 */
export class RedisConnection {
  readonly commands: RedisClient;
  private readonly subscriber: Subscriber;
  private readonly logger = new Logger('RelayBus');
  private isSubscribed = false;
  private isAnnounced = false;
  private pendingSubscription: Promise<void> = Promise.resolve();
  private lastMessageAt = 0;
  /** When the subscription was lost because its slot moved to another node of a cluster. */
  private movedAt = -Infinity;
  /**
   * Servers on which a command timed out, and when. It may have run, so nothing more is sent until the server answers
   * again. A single server has the name '', as has the unknown master of a slot.
   */
  private readonly suspectedAt = new Map<string, number>();
  private handlers: RedisConnectionHandlers | null = null;
  private rejectionLoggedAt = -Infinity;

  constructor(
    url: string,
    readonly codec: EnvelopeCodec,
    private readonly metrics: BusMetrics,
  ) {
    // A publish must never be repeated: its call may have run.
    this.commands = openRedisClient(url, { lazyConnect: true, autoResendUnfulfilledCommands: false });
    defineRelayScripts(this.commands);
    const channel = buildChannel(this.commands, codec.instanceId);
    this.subscriber = new Subscriber(url, this.commands, channel, (message) => this.handleMessage(message));
  }

  /**
   * Whether the answer to a message sent now can be expected: the node with the channel of this instance answers. In a
   * cluster, other nodes may not. The renewal of the lease, which is on the same node, finds out.
   */
  get isUp(): boolean {
    if (this.commands.status !== 'ready' || !this.isSubscribed) return false;
    return !this.suspectedAt.has(findServer(this.commands, this.subscriber.channel));
  }

  get isCluster(): boolean {
    return this.commands instanceof ClusterClient;
  }

  /** Command by which scripts publish, sharded in a cluster. */
  get publishCommand(): 'PUBLISH' | 'SPUBLISH' {
    return this.isCluster ? 'SPUBLISH' : 'PUBLISH';
  }

  /** Subcommand of `PUBSUB` by which scripts count the subscribers of a channel. */
  get countCommand(): 'NUMSUB' | 'SHARDNUMSUB' {
    return this.isCluster ? 'SHARDNUMSUB' : 'NUMSUB';
  }

  /** Whether the subscription moves to another node of a cluster, where it will be active in a moment. */
  get isMoving(): boolean {
    return !this.isSubscribed && performance.now() - this.movedAt < MAX_MOVE_MS;
  }

  async waitForMove(): Promise<void> {
    while (this.isMoving) await sleep(MOVE_CHECK_INTERVAL_MS);
  }

  /** Whether a command on this key is sent on an open connection. */
  isConnectedTo(key: string): boolean {
    if (!(this.commands instanceof ClusterClient)) return this.commands.status === 'ready';
    return this.commands.findMasterConnection(key)?.status === 'ready';
  }

  /** Resolves when both connections are ready or the first attempt failed. Reconnects automatically. */
  async start(handlers: RedisConnectionHandlers): Promise<void> {
    this.handlers = handlers;
    const { connection } = this.subscriber;
    connection.on('close', () => this.handleDisconnect());
    connection.on('moved', () => this.followSlot());
    connection.on('ready', () => {
      this.pendingSubscription = this.subscribeToChannel();
    });
    this.commands.on('close', () => this.handleDisconnect());
    this.commands.on('ready', () => this.announceConnected());
    this.commands.on('topologyChange', () => {
      void this.leaveWrongNode();
      this.handlers?.onNodesChanged();
    });
    // The subscription to a node of a cluster needs to know the nodes.
    await this.commands.connect().catch(() => undefined);
    await connection.connect().catch(() => undefined);
    await this.pendingSubscription;
  }

  /** Returns the number of instances that received the message: one or none. */
  publishEnvelope(instance: string, envelopeHead: EnvelopeHead, body?: string): Promise<number> {
    return this.publishTo(instance, this.codec.encode(envelopeHead, instance, body));
  }

  /** Like `publishEnvelope`, with an encoded envelope. */
  publishTo(instance: string, message: string): Promise<number> {
    const channel = buildChannel(this.commands, instance);
    return this.executeCommand(() => publishMessage(this.commands, channel, message), channel);
  }

  /**
   * Runs a command with a timeout and records whether Redis answers.
   * @param key key or channel of the command, which decides on the node of a cluster
   * @throws RedisSuspectError nothing was sent, because the node did not answer a moment ago
   */
  async executeCommand<T>(command: () => Promise<T>, key: string): Promise<T> {
    const server = findServer(this.commands, key);
    if (this.isCluster && performance.now() - (this.suspectedAt.get(server) ?? -Infinity) < SUSPICION_MS) {
      throw new RedisSuspectError();
    }
    gatherWrites(this.commands);
    const reply = command();
    // A late reply still shows that Redis is reachable again.
    void reply.then(
      () => this.clearSuspicion(server),
      () => undefined,
    );
    try {
      return await withTimeout(reply, COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof RedisTimeoutError) this.suspectedAt.set(server, performance.now());
      throw error;
    }
  }

  /**
   * Resubscribes if Redis answers commands while the subscription is dead.
   * @param subscriberCount number of subscribers that Redis reports for this instance's channel: 0 after a failover
   * while this instance is still subscribed to the old primary
   */
  checkSubscription(subscriberCount: number): void {
    const isSilent = subscriberCount === 0 || performance.now() - this.lastMessageAt > MAX_SUBSCRIBER_SILENCE_MS;
    if (!this.isSubscribed || !isSilent) return;
    this.logger.warn('Redis subscription silent, resubscribing');
    this.isSubscribed = false;
    this.subscriber.reconnect();
  }

  /** Resolves when the messages that were published to this instance before have been handled. */
  async receivePublished(): Promise<void> {
    if (!this.isSubscribed) return;
    await withTimeout(this.subscriber.receivePublished(), COMMAND_TIMEOUT_MS).catch((error: Error) => {
      this.logger.debug({ reason: error.message }, 'Redis messages not awaited');
    });
  }

  stop(): void {
    this.handlers = null;
    this.commands.disconnect();
    this.subscriber.connection.disconnect();
  }

  /** Subscribes at the node of a cluster that the slot of the channel has moved to. */
  private followSlot(): void {
    if (this.isSubscribed) this.movedAt = performance.now();
    this.isSubscribed = false;
    this.subscriber.reconnect();
  }

  /**
   * A node that answers ends the subscription itself when it learns that the slot has moved. Other nodes may tell of it
   * earlier: what the node has sent until then, and nobody sends again, would be lost with the connection.
   */
  private async leaveWrongNode(): Promise<void> {
    if (!this.subscriber.isMisplaced) return;
    await sleep(MISPLACED_MS, undefined, { ref: false });
    if (this.handlers && this.subscriber.isMisplaced) this.followSlot();
  }

  private async subscribeToChannel(): Promise<void> {
    try {
      await withTimeout(this.subscriber.subscribe(), COMMAND_TIMEOUT_MS);
      this.isSubscribed = true;
      this.lastMessageAt = performance.now();
      this.announceConnected();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'Redis subscription failed');
      this.subscriber.reconnect();
    }
  }

  /** Any answer of a cluster may be that of the master that was unknown. */
  private clearSuspicion(server: string): void {
    this.suspectedAt.delete(server);
    this.suspectedAt.delete('');
  }

  private announceConnected(): void {
    if (this.commands.status !== 'ready' || !this.isSubscribed) return;
    this.suspectedAt.clear();
    this.isAnnounced = true;
    this.logger.log('Redis bus connected');
    this.handlers?.onConnected();
  }

  private handleDisconnect(): void {
    if (this.isAnnounced && this.handlers) this.logger.warn('Redis bus disconnected');
    this.isAnnounced = false;
    if (this.subscriber.connection.status !== 'ready') this.isSubscribed = false;
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
    this.publishTo(origin, message).catch((error: Error) => {
      this.logger.debug({ requestId: callId, reason: error.message }, 'call refusal failed');
    });
  }
}

/** Thrown instead of sending a command to a node of a cluster that did not answer a moment ago. */
export class RedisSuspectError extends Error {
  constructor() {
    super('The node did not answer the last command.');
    this.name = 'RedisSuspectError';
  }
}

/** Whether the command certainly did not run: Redis replied with an error, or nothing was sent. */
export function isCommandNotExecuted(error: unknown): boolean {
  const { name, message } = error as Error;
  if (error instanceof RedisSuspectError || message.startsWith('Too many Cluster redirections')) return true;
  return name === 'ReplyError' || /isn't writeable/.test(message);
}
