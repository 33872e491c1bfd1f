import type { DataKey, OptionValues, SealedDataKey } from '@external-api/protocol';
import type { ClientDeviceKind } from './api-resources';
import type { ContentKey } from './content/content-key';
import type { ProcessIdentity } from './exec/process-identity';
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
  /** Whether the service has accepted the agents of this machine. */
  areAgentsAnnounced?: boolean;
  /** What the machine's agents have said about themselves, by their names in its options. */
  knownAgents?: Record<string, StoredAgent>;
  /** Sessions that this device runs an agent in, by session id. */
  agentSessions?: Record<string, StoredAgentSession>;
  /** Ids of sessions whose end the service has not taken yet. */
  endingSessions?: readonly string[];
  /** Agents' sessions of ended ones that had an untrusted prompt, as `agent:id`, the latest last. */
  untrustedAgentSessions?: readonly string[];
}

/** An option of an agent, without its values. */
export interface AgentOptionName {
  id: string;
  category: string | null;
}

/** What an agent said about itself when it was last started. */
export interface StoredAgent {
  /** Program and arguments. Another command is another agent. */
  command: readonly string[];
  /** What it calls itself. */
  name: string;
  title: string | null;
  version: string | null;
  /** Ids of its modes */
  modes: readonly string[];
  /** Whether it can list its sessions. Earlier releases have not asked. */
  canListSessions?: boolean;
  /** Its options. Releases before them don't store any. */
  options?: readonly AgentOptionName[];
}

/** What the device must remember of an agent's session. */
export interface StoredAgentSession {
  tag: string;
  /** Name of the agent in the machine's options. */
  agent: string;
  /** Absolute path */
  cwd: string;
  /** Mode of this session; null: that of the machine's options. */
  mode: string | null;
  /** Values that callers have chosen for options of the agent. Absent: none. */
  options?: OptionValues;
  /** The agent's own id of the session; null before its first start. */
  agentSessionId: string | null;
  /** Unix ms in server time */
  lastActiveAt: number;
  /** The session of another client that this one continues, until its agent has opened it. */
  continues?: { agentSessionId: string; isFork: boolean };
  /** Whether the agent has had a prompt of an app, or of a caller that an older service didn't name. */
  hasUntrustedPrompt?: boolean;
  /** The process of the agent that worked in it last, which may outlive a kill of this program. */
  process?: ProcessIdentity;
  /** Whether the next message is the first one, which gives the session its title. */
  isUntitled?: boolean;
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

/** Returns the data key of the session with this tag. */
export function findDataKey({ dataKeys }: DeviceState, tag: string): (DataKey & SealedDataKey) | undefined {
  return dataKeys && Object.hasOwn(dataKeys, tag) ? dataKeys[tag] : undefined;
}

/** Adds the data key of a session. Callers choose tags, and an assignment to `__proto__` would not add a property. */
export function addDataKey(state: DeviceState, tag: string, dataKey: DataKey & SealedDataKey): void {
  state.dataKeys = Object.fromEntries([...Object.entries(state.dataKeys ?? {}), [tag, dataKey]]);
}

/** Removes the data key of a session that was deleted. */
export function removeDataKey(state: DeviceState, tag: string): void {
  delete state.dataKeys?.[tag];
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
