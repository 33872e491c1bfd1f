import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProxyError, type ProxyErrorCode } from '@external-api/forward-proxy';
import { decodeTruncated } from '@external-api/protocol';
import { Clock, SECOND } from '../../common/clock';
import { Config } from '../../core/config';
import type { DeliveryError, WebhookExchange } from './webhook-exchange';
import { AddressNotAllowedError, GuardedAgent } from './guarded-agent';
import { HostNotResolvedError } from './host-resolver';
import { ExchangeTimeoutError, sendPostRequest, type PostRequest, type PostResponse } from './post-request';
import { buildDeliveryHeaders, type EventHeaders } from './delivery-headers';
import { selectLoggedHeaders } from './logged-headers';
import { signPayload } from './signature';

const LOGGED_RESPONSE_BYTES = 4_096;
const TLS_ERROR_CODES = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO$)/;
const CONNECTION_ERROR_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']);
/** Failures of the forward proxy that are about the target. With the others there is no connection. */
const PROXY_ERRORS: Partial<Record<ProxyErrorCode, DeliveryError>> = {
  ERR_PROXY_REFUSED: 'address_refused',
  ERR_PROXY_TIMEOUT: 'timeout',
};
const INVALID_RESPONSE_ERRORS = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
  'TooManyInterimResponsesError',
  'UnexpectedUpgradeError',
]);

export interface WebhookRequest extends EventHeaders {
  url: string;
  body: string;
  /** Headers in addition to those of a delivery, or in their place, by lower-case name. */
  headers?: Readonly<Record<string, string>>;
  /** Keys that sign the request. Each adds one signature. */
  signingKeys: readonly KeyObject[];
}

/**
 * Sends signed POST requests to allowed addresses, without following redirects. The service's only outbound HTTP
 * client.
 */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly config: Config,
    private readonly guardedAgent: GuardedAgent,
    private readonly clock: Clock,
  ) {}

  /** Never throws. Failures are part of the exchange. */
  async sendRequest(request: WebhookRequest): Promise<WebhookExchange> {
    const { url, body, signingKeys, eventId } = request;
    const sentAt = this.clock.now();
    const delivery = buildDeliveryHeaders(request, sentAt);
    const signature = signPayload(signingKeys, eventId, delivery['webhook-timestamp'], body);
    return this.sendPost(
      { url, headers: { ...delivery, ...request.headers, 'webhook-signature': signature }, body },
      sentAt,
    );
  }

  /** Sends a request that its sender has authenticated. Never throws. @param sentAt start, in Unix ms */
  async sendPost(request: Omit<PostRequest, 'timeoutMs'>, sentAt = this.clock.now()): Promise<WebhookExchange> {
    const startedAt = this.clock.monotonicMs();
    const outcome = await sendPostRequest(this.guardedAgent, {
      ...request,
      timeoutMs: this.config.webhooks.attemptTimeoutSeconds * SECOND,
    }).then(toExchangeOutcome, (error: unknown) => ({
      status: null,
      error: toDeliveryError(error),
      response: null,
      responseHeaders: null,
      retryAfter: null,
    }));
    return { ...outcome, sentAt, durationMs: Math.round(this.clock.monotonicMs() - startedAt) };
  }
}

function toExchangeOutcome({ status, headers, body }: PostResponse) {
  const { 'retry-after': retryAfter } = headers;
  return {
    status,
    error: status >= 300 && status < 400 ? ('redirect' as const) : null,
    // PostgreSQL's text type doesn't accept NUL characters.
    response: decodeTruncated(body, LOGGED_RESPONSE_BYTES).replaceAll('\0', '\ufffd'),
    responseHeaders: selectLoggedHeaders(headers),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  };
}

/** Maps an exchange failure to its delivery log code. */
function toDeliveryError(thrown: unknown): DeliveryError {
  const error = thrown as NodeJS.ErrnoException & { errors?: unknown[] };
  if (error instanceof AddressNotAllowedError) return 'address_refused';
  if (error instanceof HostNotResolvedError) return 'name_not_resolved';
  if (error instanceof ExchangeTimeoutError) return 'timeout';
  if (error instanceof ProxyError) return PROXY_ERRORS[error.code] ?? 'connection_failed';
  // Node.js aggregates the errors of several addresses.
  if (Array.isArray(error.errors) && error.errors.length > 0) return toDeliveryError(error.errors[0]);
  const code = error.code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (TLS_ERROR_CODES.test(code)) return 'tls_failed';
  if (CONNECTION_ERROR_CODES.has(code)) return 'connection_failed';
  return INVALID_RESPONSE_ERRORS.has(error.name) ? 'invalid_response' : 'connection_lost';
}
