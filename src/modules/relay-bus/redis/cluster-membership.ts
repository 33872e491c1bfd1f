import { Logger } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task';
import type { StaleDevicePresence } from '../device-presence';
import { RelayCluster } from '../relay-cluster';
import type { PresencePublisher } from './presence-publisher';
import type { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import { buildChannel, buildLeaseKey, CLOCK_KEY } from './redis-keys';
import type { SharedPresenceStore } from './shared-presence-store';

const LEASE_DURATION_MS = 6_000;
const RENEWAL_INTERVAL_MS = 2_000;

/**
 * Membership of this instance in the cluster. A lease in Redis marks the instance as alive for routing. Each renewal of
 * the lease is accompanied by a sample of Redis time.
 */
export class ClusterMembership extends RelayCluster {
  private readonly logger = new Logger('RelayBus');
  private state: 'live' | 'draining' = 'live';
  private renewedAt = -Infinity;
  private pendingClockRead: Promise<void> | undefined;
  private readonly renewalTask = new PeriodicTask('instance lease renewal', RENEWAL_INTERVAL_MS, () =>
    this.renewMembership(),
  );

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly clock: RedisClock,
    private readonly sharedPresenceStore: SharedPresenceStore,
    private readonly presencePublisher: PresencePublisher,
  ) {
    super();
  }

  /** Time since the last renewal of the lease in ms. */
  get leaseAgeMs(): number {
    return performance.now() - this.renewedAt;
  }

  async start(): Promise<void> {
    if (this.redisConnection.isUp) await this.renewMembership();
    this.renewalTask.start();
  }

  /** Renews the lease, then publishes the presence: routing skips devices of instances without a lease. */
  async rejoinCluster(): Promise<void> {
    await this.renewMembership();
    this.presencePublisher.republishAll();
  }

  /** Stops the renewals and deletes the lease. */
  async leaveCluster(): Promise<void> {
    await this.renewalTask.stop();
    const { codec, commands } = this.redisConnection;
    await commands.del(buildLeaseKey(commands, codec.instanceId)).catch(() => undefined);
  }

  republishPresence(): void {
    this.presencePublisher.republishAll();
  }

  async removePresence(connections: readonly StaleDevicePresence[]): Promise<void> {
    for (const { accountId, deviceId, epoch, instance } of connections) {
      if (instance) await this.sharedPresenceStore.removeDeadEntry(accountId, deviceId, epoch, instance);
    }
  }

  async announceShutdown(): Promise<void> {
    this.state = 'draining';
    await this.renewLease();
  }

  private async renewMembership(): Promise<void> {
    await Promise.all([this.renewLease(), this.synchronizeClock()]);
  }

  /** Samples Redis time now, or waits for the sample that is being taken. Never rejects. */
  synchronizeClock(): Promise<void> {
    this.pendingClockRead ??= this.readClock().finally(() => (this.pendingClockRead = undefined));
    return this.pendingClockRead;
  }

  private async renewLease(): Promise<void> {
    const { codec, commands, publishCommand } = this.redisConnection;
    const [lease, channel] = [buildLeaseKey(commands, codec.instanceId), buildChannel(commands, codec.instanceId)];
    const heartbeatMessage = codec.encode({ type: 'tick' }, codec.instanceId);
    const args = [this.state, LEASE_DURATION_MS, publishCommand, channel, heartbeatMessage] as const;
    try {
      const [existed, subscribers] = await this.redisConnection.executeCommand(
        () => commands.relayRenewLease(lease, ...args),
        lease,
      );
      this.renewedAt = performance.now();
      this.redisConnection.checkSubscription(subscribers);
      // The lease had expired: other instances may have removed the presence of this one.
      if (!existed) this.presencePublisher.republishAll();
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'instance lease renewal failed');
    }
  }

  /** Takes a sample of Redis time, in a cluster that of one node, the same for all instances. */
  private async readClock(): Promise<void> {
    const { commands } = this.redisConnection;
    const sentAt = performance.now();
    try {
      const [seconds, microseconds] = await this.redisConnection.executeCommand(
        () => commands.relayReadTime(CLOCK_KEY),
        CLOCK_KEY,
      );
      this.clock.recordSample(sentAt, performance.now(), Number(seconds) * 1_000 + Number(microseconds) / 1_000);
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'Redis time not read');
    }
  }
}
