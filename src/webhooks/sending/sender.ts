import { Injectable } from '@nestjs/common';
import { request, type Dispatcher } from 'undici';
import { Clock, SECOND } from '../../common/clock';
import { deliveryErrorOf } from './delivery-error';
import type { Exchange } from './exchange';
import { GuardedAgent } from './guarded-agent';
import { requestHeaders } from './request-headers';
import { sign } from './signature';

/** For the whole exchange, from the look-up of the name to the last byte of the answer. */
export const DEADLINE_MS = 20 * SECOND;
const MAX_RESPONSE_BYTES = 16_384;
const LOGGED_RESPONSE_BYTES = 4_096;

/** One request to make. */
export interface Message {
  url: string;
  /** `evt_…`, the same on every try. */
  id: string;
  body: string;
  /** Those whose signatures it carries. */
  keys: readonly Buffer[];
  /** W3C Trace Context: of the request in which the event happened. */
  traceparent: string | null;
}

/** The only outbound HTTP of the service: a signed POST, to allowed addresses, without redirects. */
@Injectable()
export class Sender {
  constructor(
    private readonly agent: GuardedAgent,
    private readonly clock: Clock,
  ) {}

  /** Never throws: what goes wrong is part of the exchange. */
  async send({ url, id, body, keys, traceparent }: Message): Promise<Exchange> {
    const startedAt = this.clock.monotonic();
    const sentAt = this.clock.now();
    const headers = requestHeaders(id, sentAt);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), DEADLINE_MS);
    const outcome = await request(url, {
      method: 'POST',
      dispatcher: this.agent,
      signal: deadline.signal,
      headers: {
        ...headers,
        ...(traceparent !== null && { traceparent }),
        'webhook-signature': sign(keys, id, headers['webhook-timestamp'], body),
      },
      body,
    })
      .then(read)
      .catch((error: unknown) => ({
        status: null,
        error: deadline.signal.aborted ? 'timeout' : deliveryErrorOf(error),
        response: null,
        retryAfter: null,
      }));
    clearTimeout(timer);
    return { ...outcome, sentAt, durationMs: Math.round(this.clock.monotonic() - startedAt) };
  }
}

/** The bytes are kept as they came: nothing is unpacked, and the rest of a long answer is not waited for. */
async function read({ statusCode: status, headers, body }: Dispatcher.ResponseData) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_RESPONSE_BYTES) break;
  }
  const kept = Buffer.concat(chunks).subarray(0, LOGGED_RESPONSE_BYTES);
  const { 'retry-after': retryAfter } = headers;
  return {
    status,
    error: status >= 300 && status < 400 ? ('redirect' as const) : null,
    // PostgreSQL's text cannot hold a NUL.
    response: kept.toString().replaceAll('\0', '\ufffd'),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  };
}
