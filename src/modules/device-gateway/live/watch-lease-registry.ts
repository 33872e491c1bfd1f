import { Injectable } from '@nestjs/common';
import { WATCH_LEASE_MS } from '@external-api/protocol';
import { getTopicKey, type LiveTopic, type ReceivedWatchLease, type WatchLease } from '../../relay-bus';
import { WatchedTopic } from './watched-topic';

const MAX_TOPICS_PER_DEVICE = 256;

/** Time until which a device is to be asked for a topic. */
export type WatchRequest = Pick<WatchLease, 'topic' | 'until'>;

/**
 * Gathers the leases of all instances that watch devices of this one, so that each device gets one lease per topic.
 * Times are Unix ms in server time.
 */
@Injectable()
export class WatchLeaseRegistry {
  private readonly topicsByDevice = new Map<string, Map<string, WatchedTopic>>();

  get topicCount(): number {
    return [...this.topicsByDevice.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Records a lease, or the end of one.
   * @returns what the device must be asked, or null if it knows all it needs
   */
  recordLease({ deviceId, topic, watcherId, until }: ReceivedWatchLease, now: number): WatchRequest | null {
    const isExtension = until > now;
    const watched = isExtension
      ? this.getOrAddTopic(deviceId, topic, now)
      : this.topicsByDevice.get(deviceId)?.get(getTopicKey(topic));
    const askUntil = isExtension
      ? watched?.extendLease(watcherId, Math.min(until, now + WATCH_LEASE_MS), now)
      : watched?.endLease(watcherId, now);
    return typeof askUntil === 'number' ? { topic, until: askUntil } : null;
  }

  /** Returns the topic if messages about it are expected. */
  findTopic(deviceId: string, topic: LiveTopic, now: number): WatchedTopic | undefined {
    const watched = this.topicsByDevice.get(deviceId)?.get(getTopicKey(topic));
    return watched && watched.forgetAt > now ? watched : undefined;
  }

  /** Returns what a device that has connected must be asked. */
  listRequests(deviceId: string, now: number): WatchRequest[] {
    return [...(this.topicsByDevice.get(deviceId)?.values() ?? [])].flatMap((watched) => {
      const until = watched.repeatRequest(now);
      return until === null ? [] : [{ topic: watched.topic, until }];
    });
  }

  removeExpired(now: number): void {
    for (const [deviceId, topics] of this.topicsByDevice) {
      for (const [key, watched] of topics) {
        watched.removeExpiredLeases(now);
        if (watched.forgetAt <= now) topics.delete(key);
      }
      if (topics.size === 0) this.topicsByDevice.delete(deviceId);
    }
  }

  /** Returns undefined if the device has too many topics. */
  private getOrAddTopic(deviceId: string, topic: LiveTopic, now: number): WatchedTopic | undefined {
    const topics = this.topicsByDevice.get(deviceId) ?? new Map<string, WatchedTopic>();
    const key = getTopicKey(topic);
    const known = topics.get(key);
    if (known || topics.size >= MAX_TOPICS_PER_DEVICE) return known;
    const added = new WatchedTopic(topic, now, performance.now());
    this.topicsByDevice.set(deviceId, topics.set(key, added));
    return added;
  }
}
