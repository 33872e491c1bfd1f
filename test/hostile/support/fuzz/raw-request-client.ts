import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { encodeDraftBody, buildRequestTarget, type RequestDraft } from './request-draft';

/** Time after which a call counts as unanswered. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Response as received. */
export interface FuzzResponse {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON; null if it is empty. */
  body: unknown;
}

/** Sends requests unchanged: doesn't normalize paths, add or join headers, or omit bodies. */
export class RawRequestClient {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, bodyTimeout: REQUEST_TIMEOUT_MS };
    this.agent = new Agent({ connections, pipelining: 1, ...timeouts });
  }

  async sendDraft(requestDraft: RequestDraft): Promise<FuzzResponse> {
    const { statusCode, headers, body } = await this.agent.request({
      origin: this.url,
      path: buildRequestTarget(requestDraft),
      method: requestDraft.method,
      headers: requestDraft.headers.flat(),
      body: encodeDraftBody(requestDraft),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const fields = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      for (const one of [value ?? []].flat()) fields.append(name, one);
    }
    const type = fields.get('content-type') ?? '';
    const text = type.startsWith('text/event-stream') ? await readBeginning(body) : await body.text();
    const isJson = /json/.test(type);
    return { status: statusCode, headers: fields, body: isJson && text ? JSON.parse(text) : text || null };
  }

  close(): Promise<void> {
    return this.agent.close();
  }
}

/** Returns the first chunk of a body that does not end, and disconnects. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  for await (const chunk of body) return String(chunk);
  return '';
}

/** Sends bytes on a new connection and returns all received bytes until the service closes it. */
export async function sendRawBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset after the response loses no data.
  socket.on('error', () => undefined);
  socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy());
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}
