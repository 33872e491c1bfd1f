import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { SyncNotificationMessage } from '@external-api/protocol';
import type { DeviceConnection } from '../device-connection';
import type { LiveMessage, WatchLease } from '../live-output';
import type { SyncNotificationAudience } from '../local-connection-registry';
import { RelayBus } from '../relay-bus';
import type { RelayCall, CallOutcome } from '../relay-call';
import { runRelayStage } from '../relay-spans';
import type { BusMetrics } from './bus-metrics';
import { ClusterMembership } from './cluster-membership';
import { ENVELOPE_VERSION, type EnvelopeHead, type EnvelopeStamp } from './envelope';
import { EnvelopeCodec, type BusTrust } from './envelope-codec';
import { IncomingCallHandler } from './incoming-call-handler';
import { OutgoingCallDispatcher } from './outgoing-call-dispatcher';
import { PresencePublisher } from './presence-publisher';
import { RedisClock } from './redis-clock';
import { RedisConnection } from './redis-connection';
import { SharedPresenceStore } from './shared-presence-store';

/** How often a call is routed in all when its device reconnects to another instance meanwhile. */
const MAX_ATTEMPTS = 5;
/** Delay before the second attempt in ms. It triples with each further attempt. */
const RETRY_DELAY_MS = 10;
/** Live output beyond it is dropped, since calls wait behind it. */
const MAX_UNCONFIRMED_BYTES = 4 * 1_048_576;

/**
 * Bus of several instances: each has some of the device connections and reaches the others through Redis
 * (docs/protocol/relay.md#routing-between-instances).
 */
export class RedisBus extends RelayBus implements OnModuleInit, OnApplicationShutdown {
  readonly clusterMembership: ClusterMembership;
  private readonly logger = new Logger('RelayBus');
  private readonly clock = new RedisClock();
  /** Whether each pending call may be sent: false once its caller has cancelled it. */
  private readonly isWantedByRequestId = new Map<string, boolean>();
  private readonly redisConnection: RedisConnection;
  private readonly sharedPresenceStore: SharedPresenceStore;
  private readonly presencePublisher: PresencePublisher;
  private readonly outgoingCallDispatcher: OutgoingCallDispatcher;
  private readonly incomingCallHandler: IncomingCallHandler;
  /** Bytes of live output that Redis has not confirmed. */
  private unconfirmedBytes = 0;

  /** @param instanceId id of this process, different at each start */
  constructor(
    url: string,
    private readonly instanceId: string,
    private readonly metrics: BusMetrics,
    trust: BusTrust,
  ) {
    super();
    this.redisConnection = new RedisConnection(url, new EnvelopeCodec(instanceId, trust, this.clock), metrics);
    this.sharedPresenceStore = new SharedPresenceStore(this.redisConnection, this.clock);
    this.presencePublisher = new PresencePublisher(this.sharedPresenceStore, this.localConnectionRegistry);
    this.clusterMembership = new ClusterMembership(
      this.redisConnection,
      this.clock,
      this.sharedPresenceStore,
      this.presencePublisher,
    );
    this.outgoingCallDispatcher = new OutgoingCallDispatcher(this.redisConnection, this.sharedPresenceStore, metrics);
    this.incomingCallHandler = new IncomingCallHandler(
      this.redisConnection,
      this.clock,
      this.localConnectionRegistry,
      this.sharedPresenceStore,
      metrics,
      this.clusterMembership,
    );
    metrics.registerGauges({
      leaseAgeMs: () => this.clusterMembership.leaseAgeMs,
      incoming: () => this.incomingCallHandler.size,
    });
  }

  async onModuleInit(): Promise<void> {
    await this.redisConnection.start({
      onMessage: (head, body) => this.handleMessage(head, body),
      onConnected: () => void this.clusterMembership.rejoinCluster(),
      onNodesChanged: () => this.presencePublisher.republishAll(),
    });
    await this.clusterMembership.start();
    this.outgoingCallDispatcher.start();
    this.incomingCallHandler.start();
    this.presencePublisher.start();
  }

  /** Calls that other instances have sent until they learn that this one has left are refused: they send them again. */
  async onApplicationShutdown(): Promise<void> {
    await this.presencePublisher.stop();
    await this.clusterMembership.leaveCluster();
    await this.redisConnection.receivePublished();
    await this.incomingCallHandler.stop();
    this.outgoingCallDispatcher.stop();
    this.redisConnection.stop();
  }

  getServerTime(): number {
    return this.clock.now();
  }

  async attachConnection(connection: DeviceConnection): Promise<void> {
    const superseded = this.localConnectionRegistry.addConnection(connection);
    const published = this.presencePublisher.addConnection(connection);
    // The old connection closes after the new entry was sent to Redis. Otherwise its entry would be removed first, and
    // for a moment other instances would find no device.
    superseded?.closeReplaced();
    await published;
  }

  async detachConnection(connection: DeviceConnection): Promise<void> {
    this.localConnectionRegistry.removeConnection(connection);
    connection.onDisconnected();
    await this.presencePublisher.removeConnection(connection);
  }

  async publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void> {
    this.localConnectionRegistry.sendSyncNotification(accountId, notification, audience);
    if (this.redisConnection.isUp)
      await this.sharedPresenceStore.publishSyncNotification(accountId, notification, audience);
  }

  async sendWatchLease(lease: WatchLease): Promise<void> {
    const isLocal = this.findConnection(lease.accountId, lease.deviceId)?.isCurrent;
    if (isLocal) this.receivedLeases.next({ ...lease, watcherId: this.instanceId });
    else if (this.redisConnection.isUp) {
      this.metrics.prunedEntries.inc(await this.sharedPresenceStore.publishWatchLease(lease));
    }
  }

  sendLiveMessage(watcherId: string, message: LiveMessage): boolean {
    if (watcherId !== this.instanceId) return this.publishLiveMessage(watcherId, message);
    this.receivedLiveMessages.next(message);
    return true;
  }

  cancelCall(requestId: string, reason: string): void {
    if (this.isWantedByRequestId.has(requestId)) this.isWantedByRequestId.set(requestId, false);
    if (!this.localCallRunner.cancelCall(requestId, reason)) this.outgoingCallDispatcher.cancelCall(requestId, reason);
  }

  protected async deliverCall(call: RelayCall): Promise<CallOutcome> {
    if (this.pendingCallLimiter.acquireSlot(call.accountId)) return createUnavailableOutcome();
    try {
      return await this.sendWithRetries(call);
    } finally {
      this.isWantedByRequestId.delete(call.request.requestId);
      this.pendingCallLimiter.releaseSlot(call.accountId);
    }
  }

  private async sendWithRetries(relayCall: RelayCall): Promise<CallOutcome> {
    const deadline = performance.now() + relayCall.answerTimeoutMs;
    const { requestId } = relayCall.request;
    this.isWantedByRequestId.set(requestId, true);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      // The new presence entry may not be published yet, or clock differences make the connection look newer than the
      // call.
      if (attempt > 1) await sleep(RETRY_DELAY_MS * 3 ** (attempt - 2));
      const call = { ...relayCall, answerTimeoutMs: deadline - performance.now() };
      const connection = this.findLocalConnection(call);
      if (!connection && this.redisConnection.isMoving) await this.redisConnection.waitForMove();
      // This machine was suspended, or its clock or that of Redis was set.
      if (!connection && !this.clock.isSynchronized) await this.clusterMembership.synchronizeClock();
      // The cancellation of a caller that has left meanwhile has reached nobody.
      if (!this.isWantedByRequestId.get(requestId)) break;
      if (!connection && !(this.redisConnection.isUp && this.clock.isSynchronized)) return createUnavailableOutcome();
      const outcome = connection
        ? await this.localCallRunner.runCall(call, connection)
        : await runRelayStage('bus', call.request, (request) =>
            this.outgoingCallDispatcher.sendCall({ ...call, request }, attempt),
          );
      if (outcome) return outcome;
    }
    return { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
  }

  /**
   * Returns the connection of the first candidate if it is connected to this instance, which saves the way through
   * Redis.
   */
  private findLocalConnection({ accountId, candidates, capability }: RelayCall): DeviceConnection | undefined {
    const [firstCandidate] = candidates;
    if (!firstCandidate) return undefined;
    // Only Redis knows which account device connected last. Without Redis, the last one on this instance is used.
    if ('newest' in firstCandidate && this.redisConnection.isUp) return undefined;
    const connection = this.localConnectionRegistry.chooseConnection(accountId, [firstCandidate], capability);
    return connection?.isCurrent ? connection : undefined;
  }

  private publishLiveMessage(watcherId: string, { data, ...head }: LiveMessage): boolean {
    const bytes = data.length;
    if (!this.redisConnection.isUp || this.unconfirmedBytes + bytes > MAX_UNCONFIRMED_BYTES) return false;
    this.unconfirmedBytes += bytes;
    this.redisConnection
      .publishEnvelope(watcherId, { type: 'live', ...head }, data)
      .catch((error: Error) => this.logger.debug({ reason: error.message }, 'live output publication failed'))
      .finally(() => (this.unconfirmedBytes -= bytes));
    return true;
  }

  private handleMessage(head: EnvelopeHead & EnvelopeStamp, body: string): void {
    // The request handler refuses requests of other versions, so that their origin does not have to wait.
    if (head.version !== ENVELOPE_VERSION && head.type !== 'request') return;
    switch (head.type) {
      case 'request':
        return this.incomingCallHandler.handleRequest(head, body);
      case 'answer':
        return this.outgoingCallDispatcher.handleAnswer(head, body);
      case 'running':
        return this.outgoingCallDispatcher.handleHeartbeat(head.callIds);
      case 'cancel':
        return this.incomingCallHandler.cancelCall(head.callId, head.reason);
      case 'superseded':
        return this.closeSupersededConnection(head);
      case 'hint':
        return this.localConnectionRegistry.sendSyncNotification(
          head.accountId,
          JSON.parse(body) as SyncNotificationMessage,
          head,
        );
      case 'watch':
        if (head.from) this.receivedLeases.next({ ...head, watcherId: head.from });
        return;
      case 'live':
        return this.receivedLiveMessages.next({ ...head, data: body });
      case 'tick':
        return;
      default:
        this.logger.warn('dropped unsupported bus message');
    }
  }

  private closeSupersededConnection({
    accountId,
    deviceId,
    epoch,
  }: {
    accountId: string;
    deviceId: string;
    epoch: number;
  }) {
    const connection = this.localConnectionRegistry.findConnection(accountId, deviceId);
    if (connection && connection.epoch < epoch) connection.closeReplaced();
  }
}

function createUnavailableOutcome(): CallOutcome {
  return { kind: 'not_delivered', reason: 'relay_unavailable', deviceId: null };
}
