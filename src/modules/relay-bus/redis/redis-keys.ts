import { tagForSlot, type RedisClient } from '../../../core/redis';

/** Has no value. In a cluster, all instances read the time of the node that would have this key. */
export const CLOCK_KEY = 'relay:clock';

/** Returns the key of an account's presence, a hash from device id to `PresenceEntry` as JSON. */
export const buildPresenceKey = (redis: RedisClient, accountId: string) =>
  `relay:presence:${tagForSlot(redis, accountId)}`;

export const buildLeaseKey = (redis: RedisClient, instanceId: string) => `relay:lease:${tagForSlot(redis, instanceId)}`;
export const buildChannel = (redis: RedisClient, instanceId: string) => `relay:to:${tagForSlot(redis, instanceId)}`;

/** Where a device is connected, as stored in the presence hash of its account. */
export interface PresenceEntry {
  instance: string;
  epoch: number;
  kind: 'account' | 'machine';
  machineId: string | null;
  capabilities: readonly string[];
  /** Whether the instance signs its envelopes and requires signed ones. The previous release does not write it. */
  signed?: true;
}
