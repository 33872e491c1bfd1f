import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor } from './wait-for';

/** HTTP/1.1 response. */
export interface RawHttpResponse {
  status: number;
  headers: Headers;
  body: string;
  /** Parsed body. */
  json: any;
}

/** TCP connection to an HTTP server, on which a test writes the bytes of its requests. */
export class RawConnection {
  /** Received bytes that aren't parsed yet. */
  received = Buffer.alloc(0);
  readonly closed: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received = Buffer.concat([this.received, chunk])));
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close');
  }

  static async openConnection(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  writeText(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Returns the next response, which may be an interim one (1xx). */
  readResponse(withinMs = 5_000): Promise<RawHttpResponse> {
    return waitFor(() => this.parseResponse(), withinMs);
  }

  exchangeText(text: string | Buffer): Promise<RawHttpResponse> {
    this.writeText(text);
    return this.readResponse();
  }

  close(): void {
    this.socket.destroy();
  }

  private parseResponse(): RawHttpResponse {
    const text = this.received.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`No response yet: ${JSON.stringify(text)}`);
    const [statusLine, ...lines] = text.slice(0, end).split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine!)![1]);
    const from = end + 4;
    const chunked = headers.get('transfer-encoding') === 'chunked';
    const to = chunked
      ? findChunksEnd(text, from)
      : from + (status < 200 ? 0 : Number(headers.get('content-length') ?? 0));
    if (to === null || text.length < to) throw new Error('The body is incomplete.');
    const body = chunked ? decodeChunks(text.slice(from, to)) : text.slice(from, to);
    this.received = this.received.subarray(to);
    return { status, headers, body, json: body.startsWith('{') ? JSON.parse(body) : null };
  }
}

function findChunksEnd(text: string, from: number): number | null {
  const last = text.indexOf('0\r\n\r\n', from);
  return last < 0 ? null : last + 5;
}

function decodeChunks(text: string): string {
  return text.replace(/[0-9a-f]+\r\n(.*?)\r\n/gs, '$1');
}
