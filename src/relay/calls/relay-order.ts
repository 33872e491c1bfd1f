import type { TokenPrincipal } from '../../auth';
import type { Capability, InvokeParams, MessageParams } from '../../wire';
import type { Candidate } from '../bus/relay-bus';

/** The HTTP side of a relayed call. */
export interface CallContext {
  requestId: string;
  path: string;
  idempotencyKey: string | null;
  traceparent?: string;
  /** Aborted when the caller hangs up before the answer. */
  callerGone: AbortSignal;
}

/** A relayed call as its caller ordered it, before a device is chosen. */
export interface RelayOrder {
  caller: TokenPrincipal;
  context: CallContext;
  method: Capability;
  params: InvokeParams | MessageParams;
  /** Given to the device, at most 28000. */
  timeoutMs: number;
  sessionId: string | null;
  machineId: string | null;
  /** What the caller sent, as far as it distinguishes two requests. */
  request: object;
  /** Looks up who may serve it. @throws ApiError 404, 409 */
  route: () => Promise<readonly Candidate[]>;
}
