import { Injectable } from '@nestjs/common';
import type { Capability } from '@external-api/protocol';
import type { DevicePrincipal } from '../../../access/auth';
import { LIVE_CAPABILITIES, RelayBus, TokenBucket } from '../../relay-bus';
import { LiveOutputMetrics } from './live-output-metrics';
import { parseLivePacket } from './parse-live-packet';
import { WatchLeaseRegistry } from './watch-lease-registry';

const MEBIBYTE = 1_048_576;
/** Well below what a subscriber reads, since Redis disconnects one that falls behind, with all of its calls. */
const INSTANCE_BYTES_PER_SECOND = 32 * MEBIBYTE;
/** One account must not use up what the instance has for all. */
const ACCOUNT_BYTES_PER_SECOND = 8 * MEBIBYTE;
const MAX_ACCOUNT_BUCKETS = 1_000;
/** Time after which buckets that are full again are removed. */
const CLEANUP_INTERVAL_MS = 1_000;

/** What a device may send, by its token and its handshake. */
export interface LiveOutputSender {
  device: Pick<DevicePrincipal, 'accountId' | 'deviceId'>;
  capabilities: readonly Capability[];
}

/**
 * `allowed`: the bytes of the packet don't count. `counted`: they consume the byte budget of the device, because nobody
 * has asked for them. `invalid`: the device may not send such a packet.
 */
export type LivePacketVerdict = 'allowed' | 'counted' | 'invalid';

/** Passes live output of devices on to the instances that watch it, and drops all other (docs/decisions/0041). */
@Injectable()
export class LiveOutputReceiver {
  private readonly instanceBucket = createBucket(INSTANCE_BYTES_PER_SECOND);
  private readonly accountBuckets = new Map<string, TokenBucket>();
  /** Monotonic ms */
  private cleanupDueAt = 0;

  constructor(
    private readonly bus: RelayBus,
    private readonly watchLeaseRegistry: WatchLeaseRegistry,
    private readonly metrics: LiveOutputMetrics,
  ) {}

  /** Handles an event of socket.io that a device has sent. */
  receivePacket({ device, capabilities }: LiveOutputSender, packet: string): LivePacketVerdict {
    const parsed = parseLivePacket(packet);
    if (!parsed || !capabilities.includes(LIVE_CAPABILITIES[parsed.topic.type])) return 'invalid';
    const { topic, message, contentBytes } = parsed;
    const { type } = topic;
    this.metrics.receivedMessages.inc({ type });
    const now = this.bus.getServerTime();
    const watched = this.watchLeaseRegistry.findTopic(device.deviceId, topic, now);
    const admission = watched?.admitMessage(contentBytes, packet.length, performance.now());
    if (!watched || admission !== 'forwarded') {
      this.metrics.droppedMessages.inc({ type, reason: watched ? 'rate' : 'unwatched' });
      return admission === 'dropped' ? 'allowed' : 'counted';
    }
    const { accountId, deviceId } = device;
    const liveMessage = { accountId, deviceId, topic, data: JSON.stringify(message) };
    for (const watcherId of watched.listWatchers(now)) {
      const isSent = this.consumeBytes(accountId, packet.length) && this.bus.sendLiveMessage(watcherId, liveMessage);
      if (!isSent) this.metrics.droppedMessages.inc({ type, reason: 'bus' });
    }
    return 'allowed';
  }

  /** Returns false if the account, or the instance, has passed on too much. */
  private consumeBytes(accountId: string, bytes: number): boolean {
    const now = performance.now();
    const accountBucket = this.accountBuckets.get(accountId) ?? createBucket(ACCOUNT_BYTES_PER_SECOND);
    if (this.accountBuckets.size >= MAX_ACCOUNT_BUCKETS && now >= this.cleanupDueAt) this.removeIdleAccounts(now);
    this.accountBuckets.set(accountId, accountBucket);
    return accountBucket.consume(bytes, now) && this.instanceBucket.consume(bytes, now);
  }

  private removeIdleAccounts(now: number): void {
    this.cleanupDueAt = now + CLEANUP_INTERVAL_MS;
    for (const [accountId, bucket] of this.accountBuckets) {
      if (bucket.isFull(now)) this.accountBuckets.delete(accountId);
    }
  }
}

const createBucket = (bytesPerSecond: number) => new TokenBucket(bytesPerSecond, 2 * bytesPerSecond, performance.now());
