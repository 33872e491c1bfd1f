/** Returns the key of an account's presence, a hash from device id to `PresenceEntry` as JSON. */
export const buildPresenceKey = (accountId: string) => `relay:presence:${accountId}`;

// The scripts in `scripts/*.lua` contain the same prefixes.
export const LEASE_KEY_PREFIX = 'relay:lease:';
export const CHANNEL_PREFIX = 'relay:to:';

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
