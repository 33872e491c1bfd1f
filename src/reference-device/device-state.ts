import type { DeviceKind } from './api-records';
import type { ContentKey } from './content/content-key';
import type { DataKey, SealedDataKey } from './content/data-key';
import type { DeviceKeys } from './keys';

/** All that a device remembers; the content of its key file. */
export interface DeviceState {
  version: 1;
  kind: DeviceKind;
  /** Where the service was last talked to. */
  url: string;
  keys: DeviceKeys;
  account?: { id: string; username: string };
  deviceId?: string;
  /** Pinned at the first sign-in; null on an account's first device, absent before. */
  enrollment?: string | null;
  /** Account devices only. */
  contentKey?: ContentKey;
  /** While a pairing waits for approval. */
  pairing?: PendingPairing;
  token?: StoredToken;
  /** Keys of the sessions that this device hosts, by session tag. */
  dataKeys?: Record<string, DataKey & SealedDataKey>;
}

export interface PendingPairing {
  id: string;
  code: string;
  expiresAt: number;
}

export interface StoredToken {
  value: string;
  /** Unix ms */
  obtainedAt: number;
  expiresAt: number;
  /** The only URL that it is ever sent to. */
  url: string;
}

export function newState(kind: DeviceKind, url: string, keys: DeviceKeys): DeviceState {
  return { version: 1, kind, url, keys };
}

/** @throws Error when `value` is not a device's state of that kind */
export function parseState(value: unknown, kind: DeviceKind): DeviceState {
  const state = value as Partial<DeviceState> | null;
  if (typeof state !== 'object' || state?.version !== 1 || typeof state.url !== 'string')
    throw new Error('it is not a key file of this program');
  if (state.kind !== kind) throw new Error(`it belongs to a ${state.kind} device, not to a ${kind} device`);
  if (typeof state.keys?.signing?.d !== 'string' || typeof state.keys.encryption?.d !== 'string')
    throw new Error('its keys are missing');
  return state as DeviceState;
}
