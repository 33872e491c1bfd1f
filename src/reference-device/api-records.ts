/** The device API's answers, as far as this device reads them (device-api.md, external-api.md). */
import type { EncryptionKey, SigningKey } from '../wire';

export interface Data<T> {
  data: T;
}

export interface AccountRecord {
  id: string;
  object: 'account';
  username: string;
  contentPublicKey: EncryptionKey;
  contentKeyVersion: number;
  createdAt: number;
}

export interface DeviceRecord {
  id: string;
  object: 'device';
  kind: DeviceKind;
  name: string;
  platform: string;
  state: 'online' | 'offline' | 'revoked';
  fingerprint: string;
  createdAt: number;
  lastSeenAt: number | null;
}

export type DeviceKind = 'account' | 'machine';

/** Of sign-up and sign-in. */
export interface SignedIn {
  account: AccountRecord;
  device: DeviceRecord;
  token: string;
  tokenExpiresAt: number;
  /** Compact JWS; null on an account's first device. */
  enrollment: string | null;
}

export interface PairingCreated {
  id: string;
  code: string;
  expiresAt: number;
}

export interface PairingStatus {
  state: 'pending' | 'approved' | 'denied' | 'expired';
  accountUsername: string | null;
}

/** What a code stands for, as the approving device sees it. */
export interface PairingRequest {
  kind: DeviceKind;
  name: string;
  platform: string;
  address: string | null;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  fingerprint: string;
}

export interface TokenRecord {
  id: string;
  object: 'token';
  name: string;
  scopes: string[];
  prefix: string;
  last4: string;
  state: 'active' | 'expired' | 'revoked';
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export interface MachineRecord {
  id: string;
  object: 'machine';
  name: string;
}

export interface SessionRecord {
  id: string;
  object: 'session';
  tag: string;
  state: 'active' | 'ended';
  /** Where the service shows it, the key that the session was created with. */
  dataKey?: { kid: string } | null;
}
