import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './wait-for';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** SpanKind of OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  /** Unix ns, of as many digits in each span. */
  startTimeUnixNano: string;
  attributes: Record<string, unknown>;
  /** Code 2 is an error. */
  status: { code: number; message?: string };
  resource: Record<string, unknown>;
}

/** Spans are exported every five seconds. */
const EXPORT_WAIT_MS = 20_000;

/** OTLP collector over HTTP with JSON, on loopback. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that was received, for searching. */
  readonly bodies: string[] = [];
  readonly requestHeaders: IncomingMessage['headers'][] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url !== '/v1/traces') return response.writeHead(404).end();
        this.requestHeaders.push(request.headers);
        this.recordSpans(Buffer.concat(chunks).toString());
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TraceCollector(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  filterByTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Returns the span with this name, the one that started first if there are several. */
  async waitForSpan(traceId: string, name: string): Promise<CollectedSpan> {
    const [span] = await this.waitForSpans(traceId, name, 1);
    return span!;
  }

  /** Returns spans with this name in the order of their starts: each instance exports its own at another time. */
  waitForSpans(traceId: string, name: string, count: number): Promise<CollectedSpan[]> {
    return waitFor(() => {
      const trace = this.filterByTrace(traceId);
      const found = trace.filter((span) => span.name === name);
      if (found.length >= count) return found.toSorted(compareStarts);
      throw new Error(`${found.length} of ${count} spans ${name} among ${trace.map((span) => span.name).join()}`);
    }, EXPORT_WAIT_MS);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private recordSpans(body: string): void {
    this.bodies.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }: any) => spans)) {
        this.spans.push({
          ...span,
          attributes: toRecord(span.attributes),
          resource: toRecord(resource.attributes),
        });
      }
    }
  }
}

const compareStarts = (a: CollectedSpan, b: CollectedSpan) => (a.startTimeUnixNano < b.startTimeUnixNano ? -1 : 1);

function toRecord(attributes: { key: string; value: Record<string, unknown> }[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
