import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../eventually';

/** A request as a receiver got it. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  /** Parsed. */
  payload: any;
  at: number;
}

export type Answer = (request: Received, response: ServerResponse, n: number) => void;

export const accept: Answer = (_, response) => void response.writeHead(204).end();
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);

/** An endpoint for webhooks: real HTTP on loopback, which notes what comes and how much at once. */
export class Receiver {
  readonly received: Received[] = [];
  /** The most requests that it had at once. */
  most = 0;
  open = 0;

  private constructor(
    readonly server: Server,
    public answer: Answer,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.open++;
      this.most = Math.max(this.most, this.open);
      response.once('close', () => this.open--);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.note(request, Buffer.concat(chunks).toString(), response));
    });
  }

  /** @param tls for https */
  static async start(answer: Answer = accept, tls?: { key: Buffer; cert: Buffer }): Promise<Receiver> {
    const server = tls ? createTlsServer(tls) : createServer();
    const receiver = new Receiver(server, answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    const scheme = this.server instanceof TlsServer ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** The payloads that came, in the order of their coming. */
  get types(): string[] {
    return this.received.map(({ payload }) => payload.type);
  }

  ofType(type: string): Received[] {
    return this.received.filter(({ payload }) => payload.type === type);
  }

  /** Until this many have come. */
  async got(count: number, withinMs = 10_000): Promise<Received[]> {
    return eventually(() => {
      if (this.received.length >= count) return this.received;
      throw new Error(`${this.received.length} of ${count} came: ${this.types.join()}`);
    }, withinMs);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private note(request: IncomingMessage, body: string, response: ServerResponse): void {
    const headers = request.headers as Record<string, string>;
    const received = { headers, body, payload: JSON.parse(body), at: Date.now() };
    this.received.push(received);
    this.answer(received, response, this.received.length);
  }
}

/** As a customer checks it, with the library of Standard Webhooks. @throws when it is not genuine */
export function verify(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers);
}
