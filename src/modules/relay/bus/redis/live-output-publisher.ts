import { Logger } from '@nestjs/common';
import { LIVE_CAPABILITIES, type LiveMessage, type WatchLease } from '../live-output';
import { TokenBucket } from '../token-bucket';
import type { BusMetrics } from './bus-metrics';
import { buildPresenceKey } from './redis-keys';
import type { RedisConnection } from './redis-connection';

const MEBIBYTE = 1_048_576;
/** Bytes of messages that Redis has not confirmed. Calls wait behind them. */
const MAX_PENDING_BYTES = 4 * MEBIBYTE;
/** Well below what a subscriber reads, since Redis disconnects one that falls behind, with all of its calls. */
const INSTANCE_BYTES_PER_SECOND = 32 * MEBIBYTE;
const ACCOUNT_BYTES_PER_SECOND = 8 * MEBIBYTE;
const MAX_IDLE_ACCOUNTS = 1_000;

/** Publishes leases to the owners of devices, and live output to watching instances. */
export class LiveOutputPublisher {
  private readonly logger = new Logger('RelayBus');
  private readonly instanceBucket = createBucket(INSTANCE_BYTES_PER_SECOND);
  private readonly accountBuckets = new Map<string, TokenBucket>();
  private pendingBytes = 0;

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly metrics: BusMetrics,
  ) {}

  /** Publishes to the instance that the device is connected to, if it can be watched. */
  async publishLease(lease: WatchLease): Promise<void> {
    if (!this.redisConnection.isUp) return;
    const { codec, commands } = this.redisConnection;
    const { accountId, deviceId, topic } = lease;
    const message = codec.encode({ type: 'watch', ...lease }, null);
    const args = [deviceId, LIVE_CAPABILITIES[topic.type], codec.requiresSignature ? 1 : 0, message] as const;
    const pruned = await this.redisConnection.executeCommand(() =>
      commands.relayPublishWatch(buildPresenceKey(accountId), ...args),
    );
    this.metrics.prunedEntries.inc(pruned);
  }

  /** Returns false if the message is dropped, so that under pressure calls are not delayed. */
  publishMessage(watcherId: string, { data, ...head }: LiveMessage): boolean {
    const bytes = data.length;
    if (!this.redisConnection.isUp || this.pendingBytes + bytes > MAX_PENDING_BYTES) return false;
    if (!this.consumeBytes(head.accountId, bytes)) return false;
    this.pendingBytes += bytes;
    this.redisConnection
      .publishEnvelope(watcherId, { type: 'live', ...head }, data)
      .catch((error: Error) => this.logger.debug({ reason: error.message }, 'live output publication failed'))
      .finally(() => (this.pendingBytes -= bytes));
    return true;
  }

  /** One account must not use up what the instance has for all. */
  private consumeBytes(accountId: string, bytes: number): boolean {
    const now = performance.now();
    const accountBucket = this.accountBuckets.get(accountId) ?? createBucket(ACCOUNT_BYTES_PER_SECOND);
    if (!accountBucket.consume(bytes, now) || !this.instanceBucket.consume(bytes, now)) return false;
    this.accountBuckets.set(accountId, accountBucket);
    if (this.accountBuckets.size > MAX_IDLE_ACCOUNTS) this.removeIdleAccounts(now);
    return true;
  }

  private removeIdleAccounts(now: number): void {
    for (const [accountId, bucket] of this.accountBuckets) {
      if (bucket.isFull(now)) this.accountBuckets.delete(accountId);
    }
  }
}

const createBucket = (bytesPerSecond: number) => new TokenBucket(bytesPerSecond, 2 * bytesPerSecond, performance.now());
