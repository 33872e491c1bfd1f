import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the proxy does with a request instead of forwarding it and its response. */
export type Fault =
  /** Closes the connection without forwarding the request. */
  | 'reset-before'
  /** Forwards the request, and closes the connection when the response has arrived. */
  | 'reset-after'
  /** Sends the head of the response and half of its body. */
  | 'truncate'
  /** Forwards the request twice, one after the other, and answers with the second response. */
  | 'duplicate'
  /** Never answers. */
  | 'hang'
  /** Forwards the head of the response, and nothing of its body until the service ends it. */
  | 'buffer'
  /** Forwards the body byte by byte. */
  | 'split'
  /** Forwards this many bytes of the body, and then closes the connection. */
  | { closeAfterBytes: number }
  | { status: number; headers?: Record<string, string>; body?: unknown };

interface ForwardedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  /** Empty until it has arrived. */
  body: string;
  receivedAt: number;
}

/** HTTP proxy before a service, which disturbs the next requests as a test demands. Open WebSockets stay open. */
export class FaultProxy {
  readonly requests: ForwardedRequest[] = [];
  /** The next requests meet these faults, in this order; null lets one pass. */
  faults: (Fault | null)[] = [];
  /** Every request meets it once `faults` is empty. */
  lastingFault: Fault | null = null;
  private readonly sockets = new Set<Duplex>();
  private readonly unanswered: Duplex[] = [];

  private constructor(
    private readonly server: Server,
    public target: string,
  ) {
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      // A caller or a service that goes away in the middle of a response ends that request only.
      this.handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.forwardUpgrade(incoming, socket, head),
    );
  }

  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultProxy(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets requests and faults, and closes the connections that got no answer. */
  reset(): void {
    for (const socket of this.unanswered.splice(0)) socket.destroy();
    this.requests.length = 0;
    this.faults = [];
    this.lastingFault = null;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const received = { method, url, headers, body: '', receivedAt: performance.now() };
    this.requests.push(received);
    const fault = this.faults.length > 0 ? this.faults.shift()! : this.lastingFault;
    const body = await readAll(incoming);
    received.body = body.toString();
    if (fault === 'hang') return void this.unanswered.push(incoming.socket);
    if (fault === 'reset-before') {
      incoming.socket.destroy();
      return;
    }
    if (typeof fault === 'object' && fault && 'status' in fault) {
      outgoing.writeHead(fault.status, { 'content-type': 'application/problem+json', ...fault.headers });
      outgoing.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {}));
      return;
    }
    if (fault === 'duplicate') await readAll(await this.forward(incoming, body));
    const response = await this.forward(incoming, body).catch(() => null);
    if (response) await sendResponse(response, outgoing, fault);
    else incoming.socket.destroy();
  }

  private forwardUpgrade({ method, url, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    // What answers requests instead of the service opens no WebSocket either.
    if (this.lastingFault) return void socket.destroy();
    const upstream = connect(Number(new URL(this.target).port), '127.0.0.1', () => {
      const lines = [`${method} ${url} HTTP/1.1`];
      for (let n = 0; n < rawHeaders.length; n += 2) lines.push(`${rawHeaders[n]}: ${rawHeaders[n + 1]}`);
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    this.sockets.add(socket);
    const endBoth = () => {
      this.sockets.delete(socket);
      upstream.destroy();
      socket.destroy();
    };
    for (const side of [socket, upstream]) side.on('error', endBoth).on('close', endBoth);
  }

  private forward(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { method, headers } = incoming;
      const forwarded = request(this.target + incoming.url, { method, headers, agent: false }, resolve);
      forwarded.once('error', reject);
      incoming.socket.once('close', () => forwarded.destroy());
      forwarded.end(body);
    });
  }
}

async function sendResponse(response: IncomingMessage, outgoing: ServerResponse, fault: Fault | null): Promise<void> {
  if (fault === null || fault === 'duplicate') {
    outgoing.writeHead(response.statusCode!, response.headers);
    response.on('error', () => outgoing.destroy()).pipe(outgoing);
    return;
  }
  if (fault === 'reset-after') {
    await readAll(response);
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(response.statusCode!, response.headers);
  outgoing.flushHeaders();
  if (fault === 'truncate') {
    const body = await readAll(response);
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  } else if (fault === 'buffer') {
    outgoing.end(await readAll(response).catch(() => Buffer.alloc(0)));
  } else {
    let left = typeof fault === 'object' && 'closeAfterBytes' in fault ? fault.closeAfterBytes : Infinity;
    response.on('error', () => outgoing.destroy());
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (const byte of chunk) {
        // Each byte is a chunk of its own, which the client usually gets as such.
        if (left-- > 0) await new Promise((resolve) => outgoing.write(Buffer.of(byte), resolve));
        else outgoing.destroy();
      }
      if (left <= 0) break;
    }
    outgoing.end();
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
