import { Agent, request } from 'node:http';

/** Request to send. */
export interface OutgoingRequest {
  method: 'GET' | 'POST';
  url: string;
  token: string;
  headers?: Record<string, string>;
  /** JSON text. */
  body?: string;
  /** Returns the text of a successful response as well. @default false */
  keepsText?: boolean;
}

export interface RequestResult {
  status: number;
  /** Code of a problem document. */
  code: string | null;
  /** Text of an error, and of a success if the request keeps it. */
  text: string;
}

/** HTTP client of Node with persistent connections, whose overhead is small and known. */
export class HttpLoadClient {
  private readonly agent: Agent;

  /** @param maxSockets limit of connections; further requests wait, as behind a load balancer */
  constructor(maxSockets = Infinity) {
    this.agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Resolves when the response is read. Rejects without a response. */
  sendRequest({ method, url, token, headers, body, keepsText = false }: OutgoingRequest): Promise<RequestResult> {
    const all = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.agent, headers: all }, (answer) => {
        const status = answer.statusCode!;
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => (keepsText || status >= 400) && chunks.push(chunk)).once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status, code: status >= 400 ? parseErrorCode(text) : null, text });
        });
      });
      sent.once('error', reject).end(body);
    });
  }

  stop(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }
}

function parseErrorCode(text: string): string | null {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? null;
  } catch {
    return null;
  }
}
