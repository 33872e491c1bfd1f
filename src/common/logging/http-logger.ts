import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger as PinoLogger } from 'pino';

/** What a line may say of the caller; `auth` puts it on the request. */
interface Caller {
  principal?: { accountId: string; tokenId?: string; deviceId?: string };
  operationId?: string;
}

/**
 * One line a request, when its answer has gone out or its caller has: id, who, which operation and route, status,
 * duration. The route's template instead of its path, because a path may hold a pairing code.
 */
export function httpLogger(logger: PinoLogger): RequestHandler {
  return (request: Request & Caller, response: Response, next: NextFunction) => {
    const startedAt = Date.now();
    response.once('close', () => {
      const level = response.statusCode >= 500 || response.errored ? 'error' : 'info';
      logger[level](line(request, response, Date.now() - startedAt), 'request');
    });
    next();
  };
}

function line(request: Request & Caller, response: Response, durationMs: number) {
  return {
    reqId: request.id,
    method: request.method,
    route: (request.route as { path?: string } | undefined)?.path ?? null,
    operation: request.operationId,
    status: response.statusCode,
    durationMs,
    accountId: request.principal?.accountId,
    tokenId: request.principal?.tokenId,
    deviceId: request.principal?.deviceId,
  };
}
