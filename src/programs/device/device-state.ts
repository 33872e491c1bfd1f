import type { ClientDeviceKind } from './api-resources';
import type { ContentKey } from './content/content-key';
import type { DataKey, SealedDataKey } from './content/data-key';
import type { DeviceKeys } from './keys';

/** Persistent state of a device: the content of its key file. */
export interface DeviceState {
  version: 1;
  kind: ClientDeviceKind;
  /** URL at which the device last reached the service. */
  url: string;
  keys: DeviceKeys;
  account?: { id: string; username: string };
  deviceId?: string;
  /** Pinned at the first sign-in: absent before it, null on an account's first device. */
  enrollment?: string | null;
  /** Account devices only. */
  contentKey?: ContentKey;
  /** Present while a pairing waits for approval. */
  pairing?: PendingPairing;
  token?: StoredToken;
  /** Data keys of the sessions that this device hosts, by session tag. */
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
  /** The only URL that the token is sent to. */
  url: string;
}

export function createDeviceState(kind: ClientDeviceKind, url: string, keys: DeviceKeys): DeviceState {
  return { version: 1, kind, url, keys };
}

/** @throws Error when `value` is not the state of a device of this kind */
export function parseDeviceState(value: unknown, kind: ClientDeviceKind): DeviceState {
  const state = value as Partial<DeviceState> | null;
  if (typeof state !== 'object' || state?.version !== 1 || typeof state.url !== 'string')
    throw new Error('it is not a key file of the reference device');
  if (state.kind !== kind) throw new Error(`it belongs to a device of the kind ${state.kind}, not ${kind}`);
  if (typeof state.keys?.signing?.d !== 'string' || typeof state.keys.encryption?.d !== 'string')
    throw new Error('its keys are missing');
  return state as DeviceState;
}
