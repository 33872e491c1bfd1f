import type { TokenPrincipal } from '../../../access/auth';
import type { InvokeRequest, MessageRequest } from '../../../protocol';
import type { CallAudit } from '../bus/relay-call';
import type { InvokeDto, SendMessageDto } from './relay.dto';

const MAX_DEVICE_TIMEOUT_MS = 28_000;
const DEFAULT_INVOKE_TIMEOUT_MS = 20_000;

/** The HTTP side of a relayed call. */
export interface CallContext {
  caller: TokenPrincipal;
  requestId: string;
  /** As returned by `resolveOperationPath`. */
  path: string;
  idempotencyKey: string | null;
  /** The caller's body, by which idempotency distinguishes two requests. */
  body: object;
  traceparent?: string;
  /** Aborted when the caller disconnects before the answer. */
  disconnectSignal: AbortSignal;
}

/** The request of a call that has not started yet. The start determines its deadline. */
export type UnsentRequest =
  | (Omit<InvokeRequest, 'deadline'> & { machineId: string })
  | (Omit<MessageRequest, 'deadline'> & { sessionId: string });

export function createInvokeRequest(
  { requestId, traceparent }: CallContext,
  machineId: string,
  body: InvokeDto,
): UnsentRequest {
  const { command, args = [], cwd = null, timeoutMs = DEFAULT_INVOKE_TIMEOUT_MS } = body;
  return {
    requestId,
    method: 'machine.invoke',
    timeoutMs: Math.min(timeoutMs, MAX_DEVICE_TIMEOUT_MS),
    machineId,
    ...(traceparent !== undefined && { traceparent }),
    params: { command, args, cwd },
  };
}

export function createMessageRequest(
  { requestId, traceparent }: CallContext,
  sessionId: string,
  { content }: SendMessageDto,
): UnsentRequest {
  return {
    requestId,
    method: 'session.message',
    timeoutMs: MAX_DEVICE_TIMEOUT_MS,
    sessionId,
    ...(traceparent !== undefined && { traceparent }),
    params: { content },
  };
}

/** @param startedAt Unix ms */
export function createCallAudit(
  { caller, idempotencyKey }: CallContext,
  { params }: UnsentRequest,
  startedAt: number,
): CallAudit {
  const requestBytes = Buffer.byteLength(JSON.stringify(params));
  return { tokenId: caller.tokenId, appId: caller.appId, requestBytes, keyed: idempotencyKey !== null, startedAt };
}
