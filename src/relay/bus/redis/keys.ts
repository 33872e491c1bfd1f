/** Presence for routing: a hash, deviceId → `PresenceEntry` as JSON. */
export const presenceKey = (accountId: string) => `relay:presence:${accountId}`;

export const LEASE_PREFIX = 'relay:lease:';
export const CHANNEL_PREFIX = 'relay:to:';

/** What an account's hash says of one device. */
export interface PresenceEntry {
  instance: string;
  epoch: number;
  kind: 'account' | 'machine';
  machineId: string | null;
  capabilities: readonly string[];
}
