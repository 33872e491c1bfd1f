import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger as PinoLogger } from 'pino';
import type { ErrorCode } from '../errors';
import { getLogContext } from '../request-context';

/** Loggable properties of the caller, which the guards of `access/auth` set on the request. */
interface LoggedCaller {
  principal?: { accountId: string; tokenId?: string; deviceId?: string };
  operationId?: string;
}

/** Errors caused by a device of the account or its absence, and those of a maintenance, which are no failures. */
const EXPECTED_ERROR_CODES: readonly unknown[] = [
  'device_error',
  'device_disconnected',
  'no_online_device',
  'read_only',
  'timeout',
] satisfies ErrorCode[];

/** Health checks of load balancers, several a second. The health module logs when their result changes. */
const HEALTH_ROUTE = /^\/health\//;

/**
 * Logs one line per request when the response has ended or the caller has disconnected: id, caller, operation,
 * route, status, duration and error code. The level is `error` if the service failed, but not if a device did. Logs
 * the route's template instead of the path, because a path may contain a pairing code. Expected results of health
 * checks are left out.
 */
export function createHttpLogger(logger: PinoLogger): RequestHandler {
  // The fields are all known here and contain no secret. Looking for some would take longer than the line itself.
  const requestLogger = logger.child({}, { redact: [] });
  return (request: Request & LoggedCaller, response: Response, next: NextFunction) => {
    const startedAt = Date.now();
    // The event may be emitted outside the request's context.
    const logContext = getLogContext();
    response.on('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? null;
      if (isHealthResult(route, response)) return;
      const fields = toLogFields(request, response, route, Date.now() - startedAt);
      requestLogger[getLogLevel(response)]({ ...logContext, ...fields }, 'request');
    });
    next();
  };
}

function isHealthResult(route: string | null, { statusCode }: Response): boolean {
  return route !== null && HEALTH_ROUTE.test(route) && (statusCode === 200 || statusCode === 503);
}

function getLogLevel({ statusCode, errored, locals }: Response): 'error' | 'info' {
  const hasFailed = statusCode >= 500 && !EXPECTED_ERROR_CODES.includes(locals.code);
  return hasFailed || errored ? 'error' : 'info';
}

function toLogFields(request: Request & LoggedCaller, response: Response, route: string | null, durationMs: number) {
  return {
    requestId: request.id,
    method: request.method,
    route,
    operation: request.operationId,
    status: response.statusCode,
    code: response.locals.code as unknown,
    durationMs,
    accountId: request.principal?.accountId,
    tokenId: request.principal?.tokenId,
    deviceId: request.principal?.deviceId,
  };
}
