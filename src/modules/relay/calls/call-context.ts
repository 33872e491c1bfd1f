import type { Response } from 'express';
import type { Principal } from '../../../access/auth';
import { createIdempotentCall, type IdempotentCall } from '../../../access/idempotency';
import { compressResponse, createDisconnectSignal, writeChunk } from '../../../common/http';
import { getCurrentTraceparent } from '../../../common/request-context';
import type { SuccessfulReply } from './call-reply';

/** The HTTP side of a relayed call. */
export interface CallContext {
  caller: Principal;
  requestId: string;
  /** Null without an `Idempotency-Key`. */
  idempotentRequest: IdempotentCall | null;
  traceparent?: string;
  /** Aborted when the caller disconnects before the answer. */
  disconnectSignal: AbortSignal;
}

type PendingReply = Promise<{ reply: SuccessfulReply; replayed: boolean }>;

export function createCallContext(
  caller: Principal,
  body: object,
  idempotencyKey: string | null,
  response: Response,
): CallContext {
  const { req: request } = response;
  const traceparent = getCurrentTraceparent();
  return {
    caller,
    requestId: request.id,
    idempotentRequest: createIdempotentCall(caller, body, idempotencyKey, request),
    disconnectSignal: createDisconnectSignal(response),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** Waits for a relayed call, sets the status and headers of its response, and returns the body. */
export async function sendRelayReply(response: Response, call: PendingReply): Promise<SuccessfulReply['body']> {
  response.setHeader('Cache-Control', 'no-store');
  const { reply, replayed } = await call;
  if (replayed) response.setHeader('Idempotency-Replayed', 'true');
  response.status(reply.status);
  return reply.body;
}

/** Writes the reply of a relayed call without an ETag, because what a device answers to a read must not be cached. */
export async function writeRelayReply(response: Response, call: PendingReply): Promise<void> {
  const body = await sendRelayReply(response, call);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  compressResponse(response);
  if (await writeChunk(response, JSON.stringify(body))) response.end();
}
