import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';

/** What is still on its way so long after the end began is a caller that never finishes. */
const PATIENCE_MS = 5_000;

/**
 * Ends each connection, at a clean stop, as soon as it carries no request. Node by itself closes only those that
 * were idle at that moment, and waits out the keep-alive or header time-out of all others.
 */
export class GracefulExpressAdapter extends ExpressAdapter {
  private readonly requests = new Map<Socket, number>();
  private closing = false;

  override initHttpServer(options: NestApplicationOptions): void {
    super.initHttpServer(options);
    const server = this.getHttpServer() as Server;
    server.on('connection', (socket) => {
      this.requests.set(socket, 0);
      socket.once('close', () => this.requests.delete(socket));
    });
    server.on('request', (request, response) => this.follow(request, response));
    // On the server itself: socket.io closes it before this adapter is asked to.
    const close = server.close.bind(server);
    server.close = (done) => {
      this.letGo();
      return close(done);
    };
  }

  private follow({ socket }: IncomingMessage, response: ServerResponse): void {
    this.count(socket, 1);
    response.once('close', () => {
      this.count(socket, -1);
      if (this.closing) this.endIfIdle(socket);
    });
  }

  private letGo(): void {
    if (this.closing) return;
    this.closing = true;
    for (const socket of this.requests.keys()) this.endIfIdle(socket);
    setTimeout(() => this.endAll(), PATIENCE_MS).unref();
  }

  private count(socket: Socket, by: number): void {
    const before = this.requests.get(socket);
    if (before !== undefined) this.requests.set(socket, before + by);
  }

  private endIfIdle(socket: Socket): void {
    if (this.requests.get(socket) === 0) socket.destroySoon();
  }

  private endAll(): void {
    for (const socket of this.requests.keys()) socket.destroy();
  }
}
