import { Agent, request } from 'node:http';

/** A request as it is sent. */
export interface Sending {
  method: 'GET' | 'POST';
  url: string;
  token: string;
  headers?: Record<string, string>;
  /** JSON text */
  body?: string;
}

export interface Answer {
  status: number;
  /** Of the problem document, where it is one. */
  code: string | null;
}

/** Node's own client over connections that stay open: what it costs is known, and little. */
export class Sender {
  private readonly agent: Agent;

  /** @param maxSockets more requests than these wait for one, as behind a load balancer */
  constructor(maxSockets = Infinity) {
    this.agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Resolves when the answer is read; rejects where there was none. */
  send({ method, url, token, headers, body }: Sending): Promise<Answer> {
    const all = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.agent, headers: all }, (answer) => {
        const status = answer.statusCode!;
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => status >= 400 && chunks.push(chunk)).once('error', reject);
        answer.once('end', () => resolve({ status, code: codeOf(Buffer.concat(chunks).toString()) }));
      });
      sent.once('error', reject).end(body);
    });
  }

  /**
   * Sends as many, never more than `inFlight` at once.
   * @throws Error for the first that is not answered with 2xx
   */
  async sendAll(next: () => Sending, count: number, inFlight: number): Promise<void> {
    let begun = 0;
    const lane = async () => {
      while (begun++ < count) {
        const sending = next();
        const { status, code } = await this.send(sending);
        if (status >= 300) throw new Error(`${sending.method} ${sending.url}: ${status} ${code}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  }

  stop(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }
}

function codeOf(text: string): string | null {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? null;
  } catch {
    return null;
  }
}
