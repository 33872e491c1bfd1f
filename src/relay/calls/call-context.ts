import type { Request, Response } from 'express';
import { traceparentOf } from '../../common/trace';
import type { CallContext } from './relay-order';

export function callContext(request: Request, response: Response, idempotencyKey: string | null): CallContext {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  // It may have been closed before the call got here, while the guards ran.
  if (response.destroyed) gone.abort();
  const traceparent = traceparentOf(request.headers);
  return {
    requestId: request.id,
    path: request.path,
    idempotencyKey,
    callerGone: gone.signal,
    ...(traceparent !== undefined && { traceparent }),
  };
}
