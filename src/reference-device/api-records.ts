/** The device API's answers, as far as this device reads them (device-api.md, external-api.md). */
import type { EncryptionKey, SigningKey } from '../wire';
import type { SealedDataKey } from './content/data-key';

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
  messageCount: number;
  lastActiveAt: number;
  /** Counts its metadata, from 1. */
  version: number;
  /** Compact JWE */
  metadata: string | null;
  dataKey: SealedDataKey;
}

export interface ArtifactRecord {
  id: string;
  object: 'artifact';
  sessionId: string | null;
  tag: string;
  mediaType: string;
  version: number;
  sizeBytes: number;
  updatedAt: number;
  dataKey: SealedDataKey;
  /** Compact JWE; not in lists */
  content: string;
}

export interface KeyGrantRecord {
  id: string;
  object: 'key_grant';
  sessionId: string | null;
  artifactId: string | null;
  recipient: 'service' | object;
  recipientKeyId: string;
  tokenId: string | null;
  appId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

export interface MessageRecord {
  id: string;
  object: 'message';
  seq: number;
  localId: string;
  role: string;
  createdAt: number;
  /** Compact JWE */
  content: string;
}
