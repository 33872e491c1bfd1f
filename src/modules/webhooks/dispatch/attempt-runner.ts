import { Injectable } from '@nestjs/common';
import { SpanKind, type Span } from '@opentelemetry/api';
import { Clock, MINUTE } from '../../../common/clock';
import { failSpan, formatTraceparent, isTracing, runInSpan } from '../../../common/tracing';
import {
  isSuccessfulExchange,
  isSent,
  type WebhookExchange,
  WebhookSender,
  type WebhookRequest,
} from '../../webhook-sending';
import { canReceive } from '../../event-access';
import { Config } from '../../../core/config';
import type { WebhookEndpoint } from './endpoint-reader';
import { AttemptResultWriter } from './attempt-result-writer';
import type { EndpointLease } from './endpoint-queues.repository';
import type { DeliveryOutcome, PendingDeliveryRow } from './pending-deliveries.repository';
import { formatDelivery } from './delivery-format';
import { RetryPolicy } from './retry-policy';
import { WebhookMetrics } from './webhook-metrics';

export interface AttemptResult {
  /** Null when the delivery was cancelled because the owner may not receive the event anymore. */
  exchange: WebhookExchange | null;
  /**
   * Resolves to false when the lease was lost before the result was written. Another instance then retries the
   * delivery.
   */
  isWritten: Promise<boolean>;
}

/** Retry interval while no configured key decrypts the signing secret. */
const UNREADABLE_SECRET_RETRY_MS = 10 * MINUTE;
const UNREADABLE_SECRET_EXCHANGE: Omit<WebhookExchange, 'sentAt'> = {
  status: null,
  error: 'secret_unreadable',
  response: null,
  responseHeaders: null,
  retryAfter: null,
  durationMs: 0,
};

/** Runs one attempt of a delivery and determines its outcome. */
@Injectable()
export class AttemptRunner {
  constructor(
    private readonly webhookSender: WebhookSender,
    private readonly attemptResultWriter: AttemptResultWriter,
    private readonly retryPolicy: RetryPolicy,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @param validUntil lease expiry on the monotonic clock */
  async runAttempt(
    endpointLease: EndpointLease,
    validUntil: number,
    webhookEndpoint: WebhookEndpoint,
    delivery: PendingDeliveryRow,
  ): Promise<AttemptResult> {
    const isAllowed = webhookEndpoint.owner && canReceive(webhookEndpoint.owner, delivery.type);
    const exchange = isAllowed ? await this.sendDelivery(webhookEndpoint, delivery) : null;
    // The attempt log and the retry schedule use the same end time: the request's timestamp plus its duration.
    const endedAt = exchange ? new Date(exchange.sentAt + exchange.durationMs) : this.clock.currentDate();
    const outcome = this.buildOutcome(endpointLease.webhookId, delivery, exchange, endedAt);
    this.metrics.recordAttempt(outcome.state, exchange);
    const isWritten = this.attemptResultWriter.writeResult({
      fencingToken: endpointLease.fencingToken,
      outcome,
      url: webhookEndpoint.url,
      endedAt,
      exchange,
      validUntil,
    });
    return { exchange, isWritten };
  }

  private async sendDelivery(
    { url, signingKeys, format, headers: customHeaders }: WebhookEndpoint,
    delivery: PendingDeliveryRow,
  ): Promise<WebhookExchange> {
    if (signingKeys.length === 0) return { ...UNREADABLE_SECRET_EXCHANGE, sentAt: this.clock.now() };
    const { event_id: eventId, traceparent } = delivery;
    const { body, headers } = formatDelivery(format, delivery, this.config.publicUrl);
    const request = { url, signingKeys, eventId, body, traceparent, headers: { ...headers, ...customHeaders } };
    this.metrics.recordAttemptStart();
    try {
      return isTracing() ? await this.sendInSpan(request, delivery) : await this.webhookSender.sendRequest(request);
    } finally {
      this.metrics.recordAttemptEnd();
    }
  }

  /** The receiver continues the trace of the attempt, which continues the one of the request that caused the event. */
  private sendInSpan(request: WebhookRequest, delivery: PendingDeliveryRow): Promise<WebhookExchange> {
    return runInSpan(buildSpanOptions(request.url, delivery), async (span) => {
      const traceparent = span ? formatTraceparent(span) : request.traceparent;
      const exchange = await this.webhookSender.sendRequest({ ...request, traceparent });
      if (span) recordExchange(span, exchange);
      return exchange;
    });
  }

  private buildOutcome(
    webhookId: string,
    row: PendingDeliveryRow,
    exchange: WebhookExchange | null,
    endedAt: Date,
  ): DeliveryOutcome {
    const { id, attempts, last_status: lastStatus } = row;
    const base = { id, webhookId, nextAttemptAt: null, finishedAt: endedAt };
    if (!exchange) return { ...base, state: 'cancelled', attempts, lastStatus };
    if (!isSent(exchange)) {
      const nextAttemptAt = new Date(endedAt.getTime() + UNREADABLE_SECRET_RETRY_MS);
      return { ...base, state: 'pending', attempts, lastStatus, nextAttemptAt, finishedAt: null };
    }
    const attemptCount = attempts + 1;
    const attempted = { ...base, attempts: attemptCount, lastStatus: exchange.status };
    if (isSuccessfulExchange(exchange)) return { ...attempted, state: 'delivered' };
    const nextAttemptAt =
      exchange.status === 410 ? null : this.retryPolicy.getNextAttemptAt(attemptCount, exchange, endedAt.getTime());
    if (!nextAttemptAt) return { ...attempted, state: 'failed' };
    return { ...attempted, state: 'pending', nextAttemptAt, finishedAt: null };
  }
}

/** The span has neither path nor query of the URL, which may contain a secret. */
function buildSpanOptions(url: string, { type, traceparent, attempts }: PendingDeliveryRow) {
  const { hostname, port, protocol } = new URL(url);
  return {
    name: 'webhook.attempt',
    kind: SpanKind.CLIENT,
    parent: traceparent,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'external_api.event_type': type,
    },
  };
}

function recordExchange(span: Span, exchange: WebhookExchange): void {
  if (exchange.status !== null) span.setAttribute('http.response.status_code', exchange.status);
  if (!isSuccessfulExchange(exchange)) failSpan(span, exchange.error ?? String(exchange.status));
}
