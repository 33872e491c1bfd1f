/** What passes over a device's socket (device-api.md, Socket). Types only. */

export const DEVICE_SOCKET_PATH = '/v1/devices/socket';

export const CAPABILITIES = ['session.message', 'machine.invoke'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** The `auth` object of the handshake. */
export interface DeviceHandshake {
  token: string;
  capabilities: Capability[];
}

export interface Hello {
  /** Unix ms; the device keeps the offset to its own clock. */
  serverTime: number;
  deviceId: string;
  machineId?: string;
}

export interface InvokeParams {
  /** Run with argv, never through a shell. */
  command: string;
  args: string[];
  /** null: the device's default */
  cwd: string | null;
}

export interface MessageParams {
  content: string;
}

interface RelayRequestBase {
  requestId: string;
  /** Unix ms in server time: past it the device must not start the call. */
  deadline: number;
  /** How long the call may run once started, in ms. */
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

/** The reference device's answer to `machine.invoke` (relay.md, Request). */
export interface InvokeResult {
  /** null when a signal ended the command */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  /** Bytes that the command wrote, kept or not. */
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

/** The acknowledgement of `relay:request`. */
export type RelayAnswer = { ok: true; result: Record<string, unknown> } | { ok: false; error: DeviceError };

/** May overtake its request, so the device remembers it until the deadline. */
export interface RelayCancel {
  requestId: string;
  reason: string;
}

/** A hint to sync: what changed, by an event type, and whose it is. */
export interface ChangeHint {
  type: string;
  /** Of the record; of the session for messages. */
  id: string;
  /** The last `seq`, for messages. */
  seq?: number;
}

/** Connect again elsewhere first, then leave. */
export interface RelayDrain {
  withinMs: number;
}
