import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { recordDelivery } from '../conformance';
import { waitFor } from '../wait-for';

/** Request that a receiver got. */
export interface ReceivedRequest {
  headers: Record<string, string>;
  body: string;
  /** Parsed body; null if it isn't JSON. */
  payload: any;
  receivedAt: number;
}

export type ReceiverHandler = (request: ReceivedRequest, response: ServerResponse, n: number) => void;

export const acceptRequest: ReceiverHandler = (_, response) => void response.writeHead(204).end();
export const respondWithStatus =
  (code: number, headers: Record<string, string> = {}, body = ''): ReceiverHandler =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);

/** HTTP server on loopback that receives webhooks. Records the requests and their concurrency. */
export class WebhookReceiver {
  readonly received: ReceivedRequest[] = [];
  /** Highest number of concurrent requests. */
  maxOpenRequests = 0;
  openRequests = 0;

  private constructor(
    readonly server: Server,
    public handler: ReceiverHandler,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.openRequests++;
      this.maxOpenRequests = Math.max(this.maxOpenRequests, this.openRequests);
      response.once('close', () => this.openRequests--);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.recordRequest(request, Buffer.concat(chunks).toString(), response));
    });
  }

  /** @param tls key and certificate of an https server */
  static async start(
    handler: ReceiverHandler = acceptRequest,
    tls?: { key: Buffer; cert: Buffer },
  ): Promise<WebhookReceiver> {
    const server = tls ? createTlsServer(tls) : createServer();
    const webhookReceiver = new WebhookReceiver(server, handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return webhookReceiver;
  }

  get url(): string {
    const scheme = this.server instanceof TlsServer ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Event types of the requests, in the order of arrival. */
  get receivedTypes(): string[] {
    return this.received.map(({ payload }) => payload?.type);
  }

  filterByType(type: string): ReceivedRequest[] {
    return this.received.filter(({ payload }) => payload?.type === type);
  }

  /** Waits for this number of requests. */
  async waitForRequests(count: number, timeoutMs = 10_000): Promise<ReceivedRequest[]> {
    return waitFor(() => {
      if (this.received.length >= count) return this.received;
      throw new Error(`${this.received.length} of ${count} received: ${this.receivedTypes.join()}`);
    }, timeoutMs);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private recordRequest(request: IncomingMessage, body: string, response: ServerResponse): void {
    const headers = request.headers as Record<string, string>;
    const payload = headers['content-type'] === 'application/json' ? JSON.parse(body) : null;
    const received = { headers, body, payload, receivedAt: Date.now() };
    // Other formats than the standard one have no schema in the OpenAPI document.
    if (payload?.type !== undefined) recordDelivery(headers, payload);
    this.received.push(received);
    this.handler(received, response, this.received.length);
  }
}

/**
 * Verifies a request with the Standard Webhooks library, as a customer does.
 * @throws when the signature is not valid
 */
export function verifySignature(secret: string, { body, headers }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(body, headers);
}
