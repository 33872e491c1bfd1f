import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../common/clock';
import { deliveryErrorOf } from './delivery-error';
import type { Exchange } from './exchange';
import { GuardedAgent } from './guarded-agent';
import { post, type Answer } from './post';
import { requestHeaders, type Told } from './request-headers';
import { sign } from './signature';

/** For the whole exchange, from the look-up of the name to the last byte of the answer. */
export const DEADLINE_MS = 20 * SECOND;
const LOGGED_RESPONSE_BYTES = 4_096;

/** One request to make. */
export interface Message extends Told {
  url: string;
  body: string;
  /** Those whose signatures it carries. */
  keys: readonly KeyObject[];
}

/** The only outbound HTTP of the service: a signed POST, to allowed addresses, without redirects. */
@Injectable()
export class Sender {
  constructor(
    private readonly agent: GuardedAgent,
    private readonly clock: Clock,
  ) {}

  /** Never throws: what goes wrong is part of the exchange. */
  async send({ url, body, keys, ...told }: Message): Promise<Exchange> {
    const startedAt = this.clock.monotonic();
    const sentAt = this.clock.now();
    const headers = requestHeaders(told, sentAt);
    const outcome = await post(this.agent, {
      url,
      headers: {
        ...headers,
        'webhook-signature': sign(keys, told.eventId, headers['webhook-timestamp'], body),
      },
      body,
      withinMs: DEADLINE_MS,
    }).then(toOutcome, (error: unknown) => ({
      status: null,
      error: deliveryErrorOf(error),
      response: null,
      retryAfter: null,
    }));
    return { ...outcome, sentAt, durationMs: Math.round(this.clock.monotonic() - startedAt) };
  }
}

function toOutcome({ status, headers, body }: Answer) {
  const { 'retry-after': retryAfter } = headers;
  return {
    status,
    error: status >= 300 && status < 400 ? ('redirect' as const) : null,
    // PostgreSQL's text cannot hold a NUL.
    response: body.subarray(0, LOGGED_RESPONSE_BYTES).toString().replaceAll('\0', '\ufffd'),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  };
}
