import type { Request, Response } from 'express';
import type { CallContext } from './relay-order';

/** W3C Trace Context §3.2.2, version 00; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function callContext(
  request: Request,
  response: Response,
  idempotencyKey: string | null,
): CallContext {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  // It may have been closed before the call got here, while the guards ran.
  if (response.destroyed) gone.abort();
  const { traceparent } = request.headers;
  return {
    requestId: request.id,
    path: request.path,
    idempotencyKey,
    callerGone: gone.signal,
    ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && { traceparent }),
  };
}
