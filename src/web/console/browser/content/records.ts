import type { SealedDataKey } from '../../../../protocol/portable';

/** Records as account devices read them (docs/protocol/device-api.md#reading-back), with the fields that pages use. */

export interface SessionRecord {
  id: string;
  state: 'active' | 'ended';
  activity: 'idle' | 'running' | 'requires_action';
  agent: { name: string; title: string; mode: string | null } | null;
  tag: string;
  machineId: string | null;
  messageCount: number;
  lastSeq: number;
  createdAt: number;
  lastActiveAt: number;
  endedAt: number | null;
  version: number;
  /** Compact JWE. */
  metadata: string | null;
  dataKey: SealedDataKey;
  hostDeviceId: string | null;
}

export interface MessageRecord {
  id: string;
  sessionId: string;
  seq: number;
  localId: string;
  role: 'user' | 'assistant' | 'system' | 'tool';
  sizeBytes: number;
  turnId: string | null;
  createdAt: number;
  /** Compact JWE. */
  content: string;
}

/** Part of a message that an agent is writing (docs/protocol/agents.md#deltas). */
export interface DeltaRecord {
  sessionId: string;
  turnId: string;
  localId: string;
  n: number;
  /** Compact JWE. */
  content: string;
}

export interface PermissionRecord {
  id: string;
  sessionId: string;
  turnId: string;
  localId: string;
  kind: string;
  state: 'pending' | 'allowed' | 'rejected' | 'expired' | 'cancelled';
  options: { optionId: string; kind: string }[];
  decidedBy: { tokenId: string | null; deviceId: string | null } | null;
  createdAt: number;
  expiresAt: number;
  decidedAt: number | null;
  /** Compact JWE; null after its deletion. */
  content: string | null;
}

export interface TurnRecord {
  id: string;
  sessionId: string;
  version: number;
  state: 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled' | 'lost';
  stopReason: string | null;
  errorCode: string | null;
  pendingPermissions: number;
  createdAt: number;
  endedAt: number | null;
}

export interface MachineRecord {
  id: string;
  name: string;
  platform: string;
  arch: string | null;
  appVersion: string | null;
  state: 'online' | 'offline';
  capabilities: string[];
  agents: { name: string; title: string | null; version: string | null; modes: string[] }[];
  lastSeenAt: number | null;
  createdAt: number;
}

/** Artifact without its content (docs/protocol/external-api.md#records). */
export interface ArtifactMetadata {
  id: string;
  sessionId: string | null;
  tag: string;
  /** As its device declared it. No key protects it. */
  mediaType: string;
  version: number;
  /** Size of the ciphertext. */
  sizeBytes: number;
  createdAt: number;
  updatedAt: number;
}

export interface ArtifactRecord extends ArtifactMetadata {
  /** Compact JWE. */
  content: string;
  dataKey: SealedDataKey;
}

export interface InvocationRecord {
  id: string;
  version: number;
  state: 'starting' | 'running' | 'completed' | 'cancelled' | 'timed_out' | 'failed' | 'lost';
  errorCode: string | null;
  exitCode: number | null;
  signal: string | null;
  stdoutBytes: number;
  stderrBytes: number;
  createdAt: number;
  endedAt: number | null;
}
