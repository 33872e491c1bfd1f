import type { IncomingHttpHeaders } from 'node:http';
import { AsyncVariable } from './async-variable';

/** W3C Trace Context §3.2.2, version 00. All-zero ids are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Caller of a request, after its authentication. A `browser` is an account device that called with its login, and an
 * `operator` runs a command of the admin program.
 */
export interface RequestActor {
  kind: 'device' | 'browser' | 'token' | 'app' | 'operator';
  /** Id of the device or token, client id of the app, or name of the operator. */
  id: string;
  /** Reason that an operator gave. */
  reason?: string | null;
}

/** What code below the handlers may need to know about the request that it works for. */
export interface RequestContext {
  requestId?: string;
  /** W3C Trace Context of the active span. Without tracing, the one of the caller. */
  traceparent: string | undefined;
  /** Id of the active span, if this service has created it. */
  spanId?: string | undefined;
  /** Client address, undefined if the connection has closed already. */
  address?: string | undefined;
  userAgent?: string | undefined;
  /** Set by the guard that authenticates the caller. */
  actor?: RequestActor;
}

const requestVariable = new AsyncVariable<RequestContext>();

/** Runs `work` in the context: `getRequestContext` returns it within. */
export function runInRequestContext<T>(context: RequestContext | undefined, work: () => T): T {
  return requestVariable.runWith(context, work);
}

/** Runs `work`, which a request may have triggered, but which does not belong to that request. */
export function runOutsideRequestContext<T>(work: () => T): T {
  return requestVariable.runWith(undefined, work);
}

/** Returns the context of the current request, or undefined in work that no request has caused. */
export function getRequestContext(): RequestContext | undefined {
  return requestVariable.getValue();
}

/** Returns the request's `traceparent` header, or undefined if it is missing or malformed. */
export function readTraceparent({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

export function getCurrentTraceparent(): string | undefined {
  return requestVariable.getValue()?.traceparent;
}

/** Ids that connect a log line with its request, and with the caller's trace or the active span. */
interface LogContext {
  requestId?: string | undefined;
  traceId?: string | undefined;
  spanId?: string | undefined;
}

export function getLogContext(): LogContext {
  const context = requestVariable.getValue();
  if (!context) return {};
  return { requestId: context.requestId, traceId: context.traceparent?.slice(3, 35), spanId: context.spanId };
}
