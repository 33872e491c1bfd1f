import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ApiError, PROBLEM_MEDIA_TYPE, toProblemDocument } from '../../errors';
import { generateId } from '../../ids';
import type { OpenRequestRegistry } from './open-request-registry';

/** Time for a client to read the response before its connection is destroyed, even if it is still sending. */
const CLOSE_TIMEOUT_MS = 1_000;

/** API errors by Node.js error code. All other codes mean `malformed_request`. */
const ERRORS_BY_NODE_CODE: Partial<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The request line and headers may have at most 16 KiB.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large', 'The chunk extensions of the body are too long.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not arrive in time.'),
};
const MALFORMED_REQUEST_ERROR = new ApiError('malformed_request', 'The request is not valid HTTP/1.1.');

/**
 * Sends the response to requests that are too malformed to reach the application: a problem document (RFC 9457) with
 * an `X-Request-Id`. Then closes the connection, because the start of a next request is unknown.
 */
export class ClientErrorHandler {
  private readonly logger = new Logger('Http');
  private readonly rejectedSockets = new WeakSet<Duplex>();

  constructor(
    private readonly publicUrl: string,
    private readonly openRequests: OpenRequestRegistry,
  ) {}

  attachToServer(server: Server): void {
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => this.handleClientError(error, socket));
    server.on('connect', (_: IncomingMessage, socket: Duplex) =>
      this.rejectConnection(
        socket,
        new ApiError('method_not_allowed', 'This server does not support tunnels.', { headers: { Allow: '' } }),
      ),
    );
  }

  private handleClientError({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.rejectedSockets.has(socket)) return;
    this.rejectedSockets.add(socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const error = ERRORS_BY_NODE_CODE[code ?? ''] ?? MALFORMED_REQUEST_ERROR;
    const latestResponse = this.openRequests.getLatestResponse(socket as Socket);
    if (!latestResponse) this.rejectConnection(socket, error);
    else if (!latestResponse.req.complete) this.sendProblemResponse(latestResponse, error);
    // A later request on the connection is malformed. Waits so that the error isn't mistaken for this response.
    else latestResponse.once('close', () => socket.writable && this.rejectConnection(socket, error));
  }

  /** Responds to a request with a malformed body, in place of its handler. */
  private sendProblemResponse(response: ServerResponse, error: ApiError): void {
    if (response.headersSent) {
      response.socket?.destroySoon();
      return;
    }
    const requestId = String(response.getHeader('X-Request-Id'));
    const problemDocument = toProblemDocument(error, this.publicUrl, requestId);
    response.writeHead(error.status, { 'Content-Type': PROBLEM_MEDIA_TYPE, Connection: 'close' });
    response.end(JSON.stringify(problemDocument));
  }

  private rejectConnection(socket: Duplex, error: ApiError): void {
    const requestId = generateId('req');
    const body = JSON.stringify(toProblemDocument(error, this.publicUrl, requestId));
    const headers = {
      'X-Request-Id': requestId,
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Date: new Date().toUTCString(),
      Connection: 'close',
      ...error.extras.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    this.logger.log({ requestId, status: error.status, code: error.code }, 'unreadable request rejected');
  }
}
