/**
 * The parts of the device API's responses that this device reads (docs/protocol/device-api.md,
 * docs/protocol/external-api.md).
 */
import type {
  EncryptionKey,
  InvocationState,
  PermissionOption,
  SealedDataKey,
  SigningKey,
  TurnState,
  TurnUsage,
} from '../../protocol';

export interface DataEnvelope<T> {
  data: T;
}

export interface AccountResource {
  id: string;
  object: 'account';
  username: string;
  contentPublicKey: EncryptionKey;
  contentKeyVersion: number;
  createdAt: number;
}

export interface DeviceResource {
  id: string;
  object: 'device';
  kind: ClientDeviceKind;
  name: string;
  platform: string;
  state: 'online' | 'offline' | 'revoked';
  fingerprint: string;
  createdAt: number;
  lastSeenAt: number | null;
}

export type ClientDeviceKind = 'account' | 'machine';

/** Response data of sign-up and sign-in. */
export interface SignInResult {
  account: AccountResource;
  device: DeviceResource;
  token: string;
  tokenExpiresAt: number;
  /** Compact JWS; null on an account's first device. */
  enrollment: string | null;
}

export interface CreatedPairing {
  id: string;
  code: string;
  expiresAt: number;
}

export interface PairingStatus {
  state: 'pending' | 'approved' | 'denied' | 'expired';
  accountUsername: string | null;
}

/** The device behind a pairing code, as the approving device sees it. */
export interface PairingRequest {
  kind: ClientDeviceKind;
  name: string;
  platform: string;
  address: string | null;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  fingerprint: string;
}

export interface TokenResource {
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

export interface AppResource {
  clientId: string;
  object: 'app';
  name: string;
  redirectUris: string[];
  state: 'active' | 'disabled';
  activeUsers: number;
  createdAt: number;
}

export interface MachineResource {
  id: string;
  object: 'machine';
  name: string;
}

export interface SessionResource {
  id: string;
  object: 'session';
  tag: string;
  state: 'active' | 'ended';
  /** `running` or `requires_action` while turns are open. */
  activity: string;
  messageCount: number;
  lastActiveAt: number;
  /** Version of the metadata, starting at 1. */
  version: number;
  /** Compact JWE */
  metadata: string | null;
  dataKey: SealedDataKey;
}

export interface TurnResource {
  id: string;
  object: 'turn';
  sessionId: string;
  requestId: string;
  deviceId: string;
  state: TurnState;
  usage: TurnUsage | null;
  startedAt: number | null;
}

export interface InvocationResource {
  id: string;
  object: 'invocation';
  requestId: string;
  state: InvocationState;
  createdAt: number;
  startedAt: number | null;
}

export interface PermissionRequestResource {
  id: string;
  object: 'permission_request';
  localId: string;
  turnId: string;
  revision: number;
  kind: string;
  options: PermissionOption[];
  /** Compact JWE; null once it is deleted */
  content: string | null;
  expiresAt: number;
}

export interface ArtifactResource {
  id: string;
  object: 'artifact';
  sessionId: string | null;
  tag: string;
  mediaType: string;
  version: number;
  sizeBytes: number;
  updatedAt: number;
  dataKey: SealedDataKey;
  /** Compact JWE; absent in lists */
  content: string;
}

export interface KeyGrantResource {
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

export interface MessageResource {
  id: string;
  object: 'message';
  seq: number;
  localId: string;
  role: string;
  createdAt: number;
  /** Compact JWE */
  content: string;
}
