/** Messages on a device's socket (docs/protocol/device-api.md#socket). */

export const DEVICE_SOCKET_PATH = '/v1/devices/socket';

export const CAPABILITIES = ['session.message', 'machine.invoke'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** WebSocket close code of a socket that the service closes for a {@link SocketViolation} (RFC 6455 §7.4.1). */
export const POLICY_VIOLATION = 1008;

/**
 * Reason in a close frame with {@link POLICY_VIOLATION}. `join_timeout`: the device did not join within 5 s.
 * `unexpected_packet`: the device sent a packet other than an acknowledgement, such as an event. `too_many_bytes`: the
 * device sent more than 64 KiB before the join, or more than its calls allow after it. Devices must wait 30 s before
 * they reconnect.
 */
export type SocketViolation = 'join_timeout' | 'unexpected_packet' | 'too_many_bytes';

/** `auth` object of the handshake. */
export interface HandshakeAuth {
  token: string;
  capabilities: Capability[];
}

export interface HelloMessage {
  /** Unix ms, from which the device computes the offset of its own clock. */
  serverTime: number;
  deviceId: string;
  machineId?: string;
}

export interface InvokeParams {
  /** Executed with `args` directly, without a shell. */
  command: string;
  args: string[];
  /** Working directory; null: the default of the device. */
  cwd: string | null;
}

export interface MessageParams {
  content: string;
}

interface RelayRequestBase {
  requestId: string;
  /** Unix ms in server time. The device must not start the call later. */
  deadline: number;
  /** Maximum duration of the call after its start, in ms. */
  timeoutMs: number;
  sessionId?: string;
  machineId?: string;
  traceparent?: string;
}

export interface InvokeRequest extends RelayRequestBase {
  method: 'machine.invoke';
  params: InvokeParams;
}

export interface MessageRequest extends RelayRequestBase {
  method: 'session.message';
  params: MessageParams;
}

export type RelayRequest = InvokeRequest | MessageRequest;

/** Result of `machine.invoke` from the reference device (docs/protocol/relay.md#request). */
export interface InvokeResult {
  /** null if a signal ended the command. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  /** Bytes that the command wrote, including truncated output. */
  stdoutBytes: number;
  stderrBytes: number;
  timedOut: boolean;
  durationMs: number;
}

export interface MessageResult {
  accepted: true;
  messageId: string | null;
  reply: string | null;
}

export type DeviceErrorCode = 'command_not_found' | 'permission_denied' | 'cwd_not_found' | 'cancelled' | 'internal';

export interface DeviceError {
  code: string;
  message: string;
}

/** Acknowledgement of `relay:request`. */
export type RelayAcknowledgement = { ok: true; result: Record<string, unknown> } | { ok: false; error: DeviceError };

/** Cancels a call. May arrive before its request, so the device remembers it until the deadline. */
export interface RelayCancelMessage {
  requestId: string;
  reason: string;
}

/** Sync notification: the event type and the id of the changed resource. */
export interface SyncNotificationMessage {
  type: string;
  /** Id of the resource, or of the session for messages. */
  id: string;
  /** The last `seq`, for messages. */
  seq?: number;
}

/** Asks the device to open a new connection before it closes this one. */
export interface ReconnectMessage {
  withinMs: number;
}
