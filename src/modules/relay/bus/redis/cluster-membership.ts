import { Logger } from '@nestjs/common';
import { PeriodicTask } from '../../../../common/periodic-task';
import type { StaleDevicePresence } from '../../../devices';
import { RelayCluster } from '../relay-cluster';
import type { PresencePublisher } from './presence-publisher';
import type { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import { LEASE_KEY_PREFIX } from './redis-keys';
import type { SharedPresenceStore } from './shared-presence-store';

const LEASE_DURATION_MS = 6_000;
const RENEWAL_INTERVAL_MS = 2_000;

/**
 * Membership of this instance in the cluster. A lease in Redis marks the instance as alive for routing. Each renewal of
 * the lease also takes a sample of Redis time.
 */
export class ClusterMembership extends RelayCluster {
  private readonly logger = new Logger('RelayBus');
  private state: 'live' | 'draining' = 'live';
  private renewedAt = -Infinity;
  private readonly renewalTask = new PeriodicTask('instance lease renewal', RENEWAL_INTERVAL_MS, () =>
    this.renewLease(),
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
    if (this.redisConnection.isUp) await this.renewLease();
    this.renewalTask.start();
  }

  /** Renews the lease, then publishes the presence: routing skips devices of instances without a lease. */
  async rejoinCluster(): Promise<void> {
    await this.renewLease();
    this.presencePublisher.republishAll();
  }

  /** Stops the renewals and deletes the lease. */
  async leaveCluster(): Promise<void> {
    await this.renewalTask.stop();
    await this.redisConnection.commands
      .del(LEASE_KEY_PREFIX + this.redisConnection.codec.instanceId)
      .catch(() => undefined);
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

  private async renewLease(): Promise<void> {
    const { codec, commands } = this.redisConnection;
    const heartbeatMessage = codec.encode({ type: 'tick' }, codec.instanceId);
    const sentAt = performance.now();
    try {
      const [existed, seconds, microseconds, subscribers] = await this.redisConnection.executeCommand(() =>
        commands.relayRenewLease(codec.instanceId, this.state, LEASE_DURATION_MS, heartbeatMessage),
      );
      this.renewedAt = performance.now();
      this.redisConnection.checkSubscription(subscribers);
      this.clock.recordSample(sentAt, this.renewedAt, Number(seconds) * 1_000 + Number(microseconds) / 1_000);
      // The lease had expired: other instances may have removed the presence of this one.
      if (!existed) this.presencePublisher.republishAll();
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'instance lease renewal failed');
    }
  }
}
