import { hash } from 'node:crypto';
import { createServer, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { ClientErrorHandler } from './client-error-handler';
import { COMPRESSION_THRESHOLD, compressResponse } from './compress-response';
import { limitConnections } from './connection-limit';
import { handleExpectHeaders } from './expect-header';
import { OpenRequestRegistry } from './open-request-registry';

/** Time after which connections with open requests are destroyed at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 5_000;
/** Interval at which Node.js checks request timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 5_000;

const JSON_TYPE = 'application/json; charset=utf-8';

const IS_UPGRADE_REQUESTED = Symbol('upgrade requested');

/** Returns whether this request may be upgraded to another protocol. */
type UpgradePredicate = (request: IncomingMessage) => boolean;

export interface HttpServerOptions {
  publicUrl: string;
  isUpgradeAllowed: UpgradePredicate;
}

/**
 * Express adapter whose server responds to all requests in the format of the API, with case-sensitive and strict
 * routing.
 *
 * At shutdown, closes each connection as soon as it has no open request. By default, Node.js closes only connections
 * that are idle at that moment, and waits for the keep-alive or header timeout of all others.
 */
export class GracefulExpressAdapter extends ExpressAdapter {
  private openRequests!: OpenRequestRegistry;
  private isClosing = false;

  constructor(private readonly serverOptions: HttpServerOptions) {
    // Set before the first middleware, which creates the router with these settings.
    super(express().enable('case sensitive routing').enable('strict routing'));
  }

  override initHttpServer(): void {
    const { publicUrl, isUpgradeAllowed } = this.serverOptions;
    const server = createServer(
      {
        IncomingMessage: createUpgradeFilteringRequest(isUpgradeAllowed),
        connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
        // Checked by `requireValidRequestHead`, which responds with a problem document.
        requireHostHeader: false,
      },
      this.getInstance<Express>(),
    );
    this.setHttpServer(server);
    limitConnections(server);
    this.openRequests = new OpenRequestRegistry(server, (socket) => this.isClosing && this.closeIfIdle(socket));
    handleExpectHeaders(server);
    new ClientErrorHandler(publicUrl, this.openRequests).attachToServer(server);
    // Patches the server, because socket.io closes it before Nest closes this adapter.
    const closeServer = server.close.bind(server);
    server.close = (callback) => {
      this.startClosing();
      return closeServer(callback);
    };
  }

  /** Sends what a handler has returned. */
  override reply(response: Response, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (typeof body === 'object' && body !== null && !(body instanceof StreamableFile)) {
      sendJson(response, body);
      return;
    }
    compressResponse(response);
    if (typeof body === 'string' && isNeverStored(response)) {
      if (!response.hasHeader('Content-Type')) response.type('html');
      response.end(body);
    } else super.reply(response, body);
  }

  private startClosing(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    for (const socket of this.openRequests.sockets) this.closeIfIdle(socket);
    setTimeout(() => this.destroyAllSockets(), SHUTDOWN_TIMEOUT_MS).unref();
  }

  private closeIfIdle(socket: Socket): void {
    if (this.openRequests.isIdle(socket)) socket.destroySoon();
  }

  private destroyAllSockets(): void {
    for (const socket of this.openRequests.sockets) socket.destroy();
  }
}

/** What may not be stored can't be revalidated either, and Express would add an ETag. */
function isNeverStored(response: Response): boolean {
  return String(response.getHeader('Cache-Control') ?? '').includes('no-store');
}

/**
 * Ends the response with this value, like `response.json` of Express: with a weak ETag unless the handler has set one,
 * with 304 if the client has the value, and without a body for HEAD. Express would look up settings and media types
 * that never change here (docs/performance.md#cpu-of-get-me).
 */
function sendJson(response: Response, value: unknown): void {
  const { req: request } = response;
  const text = JSON.stringify(value);
  const length = Buffer.byteLength(text);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && !response.hasHeader('ETag')) response.setHeader('ETag', computeEtag(text, length));
  if (request.headers['if-none-match'] !== undefined && request.fresh) {
    response.statusCode = 304;
    response.end();
    return;
  }
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', JSON_TYPE);
  if (length >= COMPRESSION_THRESHOLD && request.headers['accept-encoding']) compressResponse(response);
  response.setHeader('Content-Length', length);
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Hashes for recognition only, so a short digest is enough. */
function computeEtag(text: string, length: number): string {
  return `W/"${length.toString(16)}-${hash('sha1', text, 'base64').slice(0, 27)}"`;
}

/**
 * Returns a request class that reports an upgrade only if `isAllowed` returns true. As soon as the server has an
 * upgrade handler, Node.js passes all requests with `Upgrade` to it. A server must ignore other upgrades and serve the
 * request (RFC 9110 §7.8): `curl --http2` and Java's HttpClient send `Upgrade: h2c` with the first request.
 */
function createUpgradeFilteringRequest(isAllowed: UpgradePredicate): typeof IncomingMessage {
  return class extends IncomingMessage {
    declare [IS_UPGRADE_REQUESTED]: boolean;

    /** Node.js sets this property after parsing the headers, and then reads it. */
    set upgrade(isRequested: boolean) {
      this[IS_UPGRADE_REQUESTED] = isRequested;
    }

    get upgrade(): boolean {
      return this[IS_UPGRADE_REQUESTED] && (this.method === 'CONNECT' || isAllowed(this));
    }
  };
}
