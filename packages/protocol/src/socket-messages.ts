/** Messages on a device's socket (docs/protocol/device-api.md#socket). */
import type { ListAgentSessionsParams } from './agent-sessions';
import type { AttachedParams } from './attachments';
import type { BusyParams } from './busy-sessions';
import type { Capability } from './capabilities';
import type { DeviceError } from './device-error';
import type { InvocationState, OutputStreamName } from './invocations';
import type { PermissionRequestState } from './permission-requests';
import type { Answers } from './questions';
import type { ChangeOptionsParams, ReadOptionsParams } from './session-options';
import type { StartSessionParams } from './start-session';
import type { TurnSummary } from './turns';

export const DEVICE_SOCKET_PATH = '/v1/devices/socket';

/** WebSocket close code of a socket that the service closes for a {@link SocketViolation} (RFC 6455 §7.4.1). */
export const POLICY_VIOLATION = 1008;

/**
 * Reason in a close frame with {@link POLICY_VIOLATION}. `join_timeout`: the device did not join within 5 s.
 * `unexpected_packet`: the device sent something other than an acknowledgement or valid live output.
 * `too_many_bytes`: it sent more than 64 KiB before the join, or more than its calls and watches allow after it.
 * Devices must wait 30 s before they reconnect.
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
  /** The declared capabilities that the service accepts. Releases before turns don't send it. */
  capabilities?: Capability[];
}

export interface InvokeParams {
  /** Executed with `args` directly, without a shell. */
  command: string;
  args: string[];
  /** Working directory; null: the default of the device. */
  cwd: string | null;
}

export interface MessageParams extends AttachedParams, BusyParams {
  content: string;
  /**
   * How long the caller waits for the turn, in ms. The device answers when the turn has ended or requires action, or
   * after this time. Releases before turns don't send it.
   */
  waitMs?: number;
}

/** A message that its sender has encrypted with the session's data key, for devices that declare `session.sealed`. */
export interface SealedMessageParams extends AttachedParams, BusyParams {
  /** Compact JWE of the text, bound as the message `localId` of the role `user`. */
  sealedContent: string;
  /** Id that the sender gave the message. */
  localId: string;
  waitMs: number;
}

export interface CancelTurnParams {
  turnId: string;
}

interface DecisionParams extends DecisionMessageParams {
  /** Id that the device gave its permission request. */
  localId: string;
  /** base64url of SHA-256 over the ASCII bytes of the compact JWE that the caller was shown. */
  contentHash: string;
}

/** The next prompt of the session, in one form or the other. For devices that declare `permission.message`. */
export interface DecisionMessageParams {
  message?: string;
  /** Compact JWE of the message, bound to `contentHash`. */
  sealedMessage?: string;
}

export interface SelectOptionParams extends DecisionParams {
  optionId: string;
}

/** Decision on a question, for devices that declare `session.question`. */
export interface AnswerQuestionParams extends DecisionParams {
  /** Null declines the question. */
  answers: Answers | null;
}

/** Answers that their sender has encrypted with the session's data key. */
export interface SealedAnswersParams extends DecisionParams {
  /** Compact JWE of the answers, bound to `contentHash`. */
  sealedAnswers: string;
}

export type DecidePermissionParams = SelectOptionParams | AnswerQuestionParams | SealedAnswersParams;

export type EndSessionParams = Record<string, never>;

export interface StartInvocationParams extends InvokeParams {
  /** Maximum duration of the command, in ms. That of the call itself is short. */
  timeoutMs: number;
}

export interface CancelInvocationParams {
  invocationId: string;
}

export interface ReadOutputParams {
  invocationId: string;
  stream: OutputStreamName;
  /** Position in everything that the command has written to the stream. */
  offset: number;
  /** Maximum number of bytes. */
  limit: number;
}

/** Who began a call: a personal access token, an app, or an account device. */
export type RelayCaller = 'pat' | 'app' | 'device';

interface RelayRequestBase {
  requestId: string;
  /** Unix ms in server time. The device must not start the call later. */
  deadline: number;
  /**
   * Unix ms in server time when the request was sent: the service's time is at least that. Its clock may have been set
   * since `hello`. Earlier releases don't send it.
   */
  serverTime?: number;
  /** Maximum duration of the call after its start, in ms. */
  timeoutMs: number;
  sessionId?: string;
  machineId?: string;
  /** Releases before turns don't send it. */
  caller?: RelayCaller;
  traceparent?: string;
}

export interface InvokeRequest extends RelayRequestBase {
  method: 'machine.invoke';
  params: InvokeParams;
}

export interface MessageRequest extends RelayRequestBase {
  method: 'session.message';
  params: MessageParams | SealedMessageParams;
}

export interface CancelTurnRequest extends RelayRequestBase {
  method: 'session.cancel';
  params: CancelTurnParams;
}

export interface DecidePermissionRequest extends RelayRequestBase {
  method: 'session.permission';
  params: DecidePermissionParams;
}

export interface StartSessionRequest extends RelayRequestBase {
  method: 'session.start';
  params: StartSessionParams;
}

export interface ListAgentSessionsRequest extends RelayRequestBase {
  method: 'agent.sessions';
  params: ListAgentSessionsParams;
}

export interface EndSessionRequest extends RelayRequestBase {
  method: 'session.end';
  params: EndSessionParams;
}

export interface ReadOptionsRequest extends RelayRequestBase {
  method: 'session.options';
  params: ReadOptionsParams;
}

export interface ChangeOptionsRequest extends RelayRequestBase {
  method: 'session.configure';
  params: ChangeOptionsParams;
}

export interface StartInvocationRequest extends RelayRequestBase {
  method: 'invocation.start';
  params: StartInvocationParams;
}

export interface CancelInvocationRequest extends RelayRequestBase {
  method: 'invocation.cancel';
  params: CancelInvocationParams;
}

export interface ReadOutputRequest extends RelayRequestBase {
  method: 'invocation.output';
  params: ReadOutputParams;
}

export type RelayRequest =
  | InvokeRequest
  | MessageRequest
  | CancelTurnRequest
  | DecidePermissionRequest
  | StartSessionRequest
  | ListAgentSessionsRequest
  | EndSessionRequest
  | ReadOptionsRequest
  | ChangeOptionsRequest
  | StartInvocationRequest
  | CancelInvocationRequest
  | ReadOutputRequest;

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
  /** null if the device runs no agent in the session. Devices before turns don't send it. */
  turn?: TurnSummary | null;
  /** Only if the caller asked for it: whether the message has joined `turn`, which another one began. */
  steered?: boolean;
}

export interface DecidePermissionResult {
  state: PermissionRequestState;
  /** Null for a question. */
  optionId: string | null;
  /** Only with a message: the turn that it has begun. */
  turn?: TurnSummary;
}

export interface EndSessionResult {
  state: 'ended';
}

export interface CancelInvocationResult {
  state: InvocationState;
}

export interface ReadOutputResult {
  stream: OutputStreamName;
  /** Position of the first byte of `data`. Greater than the requested one if the device no longer has those bytes. */
  offset: number;
  /** Position after the last byte of `data`. */
  nextOffset: number;
  /** Bytes that the command has written so far. */
  totalBytes: number;
  /** base64 */
  data: string;
  /** Whether the command has ended and no output follows `data`. */
  eof: boolean;
}

/** Acknowledgement of `relay:request`. */
export type RelayAcknowledgement = { ok: true; result: Record<string, unknown> } | { ok: false; error: DeviceError };

/** What has changed: the event type and the id of the changed resource. */
export interface SyncedChange {
  type: string;
  /** Id of the resource; of the session for its messages, turns and requests, of the machine for invocations. */
  id: string;
}

/** Sync notification. */
export interface SyncNotificationMessage extends SyncedChange {
  /** The last `seq`, for messages. */
  seq?: number;
  /** Further changes of the same time, of other resources. Releases before it send a notification for each. */
  more?: SyncedChange[];
}

/** Asks the device to open a new connection before it closes this one. */
export interface ReconnectMessage {
  withinMs: number;
}
