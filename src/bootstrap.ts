import type { IncomingMessage } from 'node:http';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { DestinationStream } from 'pino';
import { DEVICE_SOCKET_PATH } from '@external-api/protocol';
import { AppModule } from './app.module';
import { createConstantHeaders } from './constant-headers';
import { ShutdownState } from './common/shutdown-state';
import {
  GracefulExpressAdapter,
  assignRequestId,
  createClientAddressReader,
  ignoreAcceptParameters,
  requireValidRequestHead,
  type ClientAddressReader,
} from './common/http';
import { createLogger, createHttpLogger, PinoLoggerService } from './common/logging';
import { readTraceparent, runInRequestContext } from './common/request-context';
import { toTraceContext } from './common/tracing';
import type { Config } from './core/config';
import { HttpMetrics } from './core/metrics';
import { startRequestSpan, startTracing } from './core/tracing';

const KEEP_ALIVE_MS = 75_000;

/**
 * Creates the application, for `main.ts` and for tests.
 * @param logDestination destination of log lines; defaults to standard output
 * @param extraModules modules that a test adds
 */
export async function createApp(
  config: Config,
  logDestination?: DestinationStream,
  extraModules: Type[] = [],
): Promise<NestExpressApplication> {
  const logger = createLogger(config.logLevel, logDestination);
  await startTracing(config.tracing);
  const adapter = new GracefulExpressAdapter({
    publicUrl: config.publicUrl,
    isUpgradeAllowed: isDeviceSocket,
  });
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(config, extraModules), adapter, {
    // `RequestValidationGuard` reads bodies, after all other guards have accepted the request.
    bodyParser: false,
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  // Longer than the idle timeouts of load balancers and clients, so that they send no request on a closing connection.
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 5_000;
  app.disable('x-powered-by');
  const metrics = app.get(HttpMetrics);
  app.use(
    assignRequestId,
    setClientAddress(createClientAddressReader(config.trustProxy)),
    openRequestContext,
    createHttpLogger(logger),
    metrics.use.bind(metrics),
    closeConnectionsWhenDraining(app.get(ShutdownState)),
    createConstantHeaders(),
    requireValidRequestHead,
    ignoreAcceptParameters,
  );
  return app;
}

/** Returns whether this is a WebSocket handshake of a device, the only supported upgrade (RFC 6455 §4.1). */
function isDeviceSocket({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' && url!.startsWith(`${DEVICE_SOCKET_PATH}/`) && headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** Replaces the address by which Express itself would know the client. */
function setClientAddress(readClientAddress: ClientAddressReader) {
  return (request: Request, _: Response, next: NextFunction) => {
    Object.defineProperty(request, 'ip', { value: readClientAddress(request) });
    next();
  };
}

/** Runs the request in a context with its id, trace, and the caller's address and user agent. */
function openRequestContext(request: Request, response: Response, next: NextFunction): void {
  const { id: requestId, headers, ip: address } = request;
  const traceparent = readTraceparent(headers);
  const context = { requestId, traceparent, address, userAgent: headers['user-agent'] };
  const span = startRequestSpan(request, response, traceparent);
  runInRequestContext(span ? { ...context, ...toTraceContext(span) } : context, next);
}

/** Closes connections after their response while the instance drains, so that clients connect to another instance. */
function closeConnectionsWhenDraining(shutdownState: ShutdownState) {
  return (_: Request, response: Response, next: NextFunction) => {
    if (shutdownState.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}
