import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Logger as PinoLogger } from 'pino';
import { pinoHttp } from 'pino-http';

/** What a line may say of the caller; `auth` puts it on the request. */
interface Caller {
  principal?: { accountId: string; tokenId?: string; deviceId?: string };
}

/**
 * One line a request: id, who, which route, status, duration. The route's template instead of its path, because
 * a path may hold a pairing code.
 */
export function httpLogger(logger: PinoLogger): RequestHandler {
  return pinoHttp({
    logger,
    genReqId: (request: IncomingMessage) => (request as Request).id,
    quietReqLogger: true,
    quietResLogger: true,
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
    customSuccessObject: (request, response, { responseTime }: { responseTime: number }) =>
      line(request as Request & Caller, response, responseTime),
    customErrorObject: (request, response, _error, { responseTime }: { responseTime: number }) =>
      line(request as Request & Caller, response, responseTime),
  }) as RequestHandler;
}

function line(request: Request & Caller, response: ServerResponse, durationMs: number) {
  return {
    method: request.method,
    route: (request.route as { path?: string } | undefined)?.path ?? null,
    status: response.statusCode,
    durationMs,
    accountId: request.principal?.accountId,
    tokenId: request.principal?.tokenId,
    deviceId: request.principal?.deviceId,
  };
}
