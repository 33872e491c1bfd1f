import { SpanKind, type Span } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import { failSpan, isTracing, startSpan } from '../../common/tracing';

/** Health checks of load balancers, several a second. */
const HEALTH_PATH = '/health/';
/** Clients can invent methods. Others are one value, by the semantic conventions. */
const KNOWN_METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
const OTHER_METHOD = '_OTHER';

/**
 * Starts the span of a request, which ends with its response. Returns null without tracing and for health checks. The
 * span has the route's template instead of the path, because a path may contain a pairing code.
 * @param parent `traceparent` of the caller
 */
export function startRequestSpan(request: Request, response: Response, parent: string | undefined): Span | null {
  if (!isTracing() || request.url.startsWith(HEALTH_PATH)) return null;
  const method = KNOWN_METHODS.has(request.method) ? request.method : OTHER_METHOD;
  const span = startSpan({
    name: method === OTHER_METHOD ? 'HTTP' : method,
    kind: SpanKind.SERVER,
    parent,
    attributes: {
      'http.request.method': method,
      'url.scheme': request.protocol,
      'external_api.request_id': request.id,
    },
  });
  if (span) response.once('close', () => endRequestSpan(span, method, request, response));
  return span;
}

function endRequestSpan(span: Span, method: string, request: Request, response: Response): void {
  const route = (request.route as { path?: string } | undefined)?.path;
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  // A caller that disconnected has got no status.
  if (response.headersSent) span.setAttribute('http.response.status_code', response.statusCode);
  const code = (response.locals.code as string | undefined) ?? String(response.statusCode);
  if (response.statusCode >= 500) failSpan(span, code);
  else if (response.statusCode >= 400) span.setAttribute('error.type', code);
  span.end();
}
