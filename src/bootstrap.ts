import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { DestinationStream } from 'pino';
import { AppModule } from './app.module';
import { Draining } from './common/draining';
import { GracefulExpressAdapter, requestId } from './common/http';
import { createLogger, httpLogger, NestLogger } from './common/logging';
import { traceparentOf, withTraceparent } from './common/trace';
import type { Config } from './config';
import { HttpMetrics } from './metrics';
import { RATE_LIMIT_HEADERS } from './rate-limit';

const KEEP_ALIVE_MS = 75_000;
const EXTERNAL_API = '/external/v1';
const EXPOSED_HEADERS = [
  'X-Request-Id',
  ...RATE_LIMIT_HEADERS,
  'Retry-After',
  'WWW-Authenticate',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
];

/**
 * The application as it runs: `main.ts` and every test start it through here.
 * @param logTo where log lines go; standard output unless given
 * @param extra modules that a test adds
 */
export async function createApp(
  config: Config,
  logTo?: DestinationStream,
  extra: Type[] = [],
): Promise<NestExpressApplication> {
  const logger = createLogger(config.logLevel, logTo);
  const adapter = new GracefulExpressAdapter();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(config, extra), adapter, {
    // Bodies are read by the last of the guards, for callers that the others let pass.
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  // Longer than load balancers and clients keep theirs, so that no request is sent into a connection that closes.
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 5_000;
  app.disable('x-powered-by');
  if (config.trustProxy !== null) app.set('trust proxy', config.trustProxy);
  const metrics = app.get(HttpMetrics);
  app.use(
    requestId,
    traced,
    httpLogger(logger),
    metrics.use.bind(metrics),
    lastAnswers(app.get(Draining)),
    securityHeaders(),
    cacheHeaders,
  );
  app.use(EXTERNAL_API, crossOrigin());
  app.use(compression({ threshold: 1024 }));
  return app;
}

/** What happens in a request is part of its caller's trace. */
function traced(request: Request, _: Response, next: NextFunction): void {
  withTraceparent(traceparentOf(request.headers), next);
}

/** On its way out the service keeps no connection for another request: the next one goes to another instance. */
function lastAnswers(draining: Draining) {
  return (_: Request, response: Response, next: NextFunction) => {
    if (draining.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}

/** Helmet's headers are the same on every answer, so its dozen of middlewares run once and not for each call. */
function securityHeaders(): RequestHandler {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })(answer.req, answer, () => undefined);
  const headers = new Map(Object.entries(answer.getHeaders() as Record<string, string>));
  return (_request, response, next) => {
    response.setHeaders(headers);
    next();
  };
}

/** The default; what holds a secret says `no-store` itself. */
function cacheHeaders(request: Request, response: Response, next: NextFunction): void {
  // To a condition fetch adds `no-cache`, for caches on the way; Express would take it as a wish for no 304.
  if (request.headers['if-none-match']) delete request.headers['cache-control'];
  response.setHeader('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
  next();
}

/**
 * Any origin, without credentials: callers carry their token in a header of their own. Not where a person's browser
 * goes itself (RFC 9700 §2.6).
 */
function crossOrigin(): RequestHandler {
  const open = cors({
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
  });
  return (request, response, next) => {
    if (/^\/oauth\/authorize\/?$/i.test(request.path)) next();
    else open(request, response, next);
  };
}
