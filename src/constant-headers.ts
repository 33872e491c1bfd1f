import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { RATE_LIMIT_HEADER_NAMES } from './access/rate-limiting';

const EXTERNAL_API_PATH = '/external/v1';
const EXPOSED_HEADERS = [
  'X-Request-Id',
  ...RATE_LIMIT_HEADER_NAMES,
  'Retry-After',
  'WWW-Authenticate',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
];

const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** Allows all origins, without credentials: callers send their token in a header. */
const setCorsHeaders = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: 86_400,
});

/** Default cache headers. Handlers of secrets override the first with `no-store`. */
const CACHE_HEADERS = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Accept-Encoding' };

/**
 * Sets the security, cache and CORS headers, which are the same for all responses of a kind: the middlewares run once,
 * and their headers are kept. Responds to CORS preflight requests.
 */
export function createConstantHeaders(): RequestHandler {
  const headers = collectHeaders(setSecurityHeaders);
  for (const [name, value] of Object.entries(CACHE_HEADERS)) headers.set(name, value);
  const externalApiHeaders = new Map([...headers, ...collectHeaders(setCorsHeaders)]);
  return (request, response, next) => {
    // `fetch` adds `no-cache` to conditional requests, for intermediate caches. Express would then never send a 304.
    if (request.headers['if-none-match']) delete request.headers['cache-control'];
    const allowsOrigins = isScriptPath(request.path);
    response.setHeaders(allowsOrigins ? externalApiHeaders : headers);
    if (allowsOrigins && request.method === 'OPTIONS') setCorsHeaders(request, response, next);
    else next();
  };
}

/** Returns the headers that the middleware sets on the response to a simple request. */
function collectHeaders(middleware: (request: Request, response: Response, next: NextFunction) => void) {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  request.method = 'GET';
  middleware(request as Request, response as Response, () => undefined);
  return new Map(Object.entries(response.getHeaders() as Record<string, string>));
}

/** The External API, but not its authorization endpoint, to which browsers navigate (RFC 9700 §2.6). */
function isScriptPath(path: string): boolean {
  return (
    path.startsWith(EXTERNAL_API_PATH) &&
    (path.length === EXTERNAL_API_PATH.length || path[EXTERNAL_API_PATH.length] === '/') &&
    !/^\/external\/v1\/oauth\/authorize\/?$/i.test(path)
  );
}
