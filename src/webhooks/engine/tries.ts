import { Injectable } from '@nestjs/common';
import { Clock, MINUTE } from '../../common/clock';
import { isSuccess, wasSent, type Exchange } from '../sending/exchange';
import { Sender } from '../sending/sender';
import { mayBeTold } from '../subscriptions/event-access';
import type { Endpoint } from './endpoints';
import { Finisher } from './finisher';
import type { Lease } from './lanes.repository';
import type { DeliveryOutcome, QueuedRow } from './queue.repository';
import { RetryPolicy } from './retry-policy';
import { WebhookMetrics } from './webhook-metrics';

/** A try that is over. */
export interface Ended {
  /** Null when its time had come and nothing was sent: nobody may be told any more. */
  exchange: Exchange | null;
  /** False when the lease was lost before it could be written: somebody else tries again. */
  written: Promise<boolean>;
}

/** Between looks whether the key is configured again that seals the secret. */
const UNREADABLE_WAIT_MS = 10 * MINUTE;
const UNREADABLE: Omit<Exchange, 'sentAt'> = {
  status: null,
  error: 'secret_unreadable',
  response: null,
  retryAfter: null,
  durationMs: 0,
};

/** Sends one delivery once, and says what comes of it. */
@Injectable()
export class Tries {
  constructor(
    private readonly sender: Sender,
    private readonly finisher: Finisher,
    private readonly policy: RetryPolicy,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {}

  /** @param validUntil on the monotonic clock: when the lease ends */
  async run(lease: Lease, validUntil: number, endpoint: Endpoint, delivery: QueuedRow): Promise<Ended> {
    const isAllowed = endpoint.viewer && mayBeTold(endpoint.viewer, delivery.type);
    const exchange = isAllowed ? await this.send(endpoint, delivery) : null;
    const at = this.clock.date();
    const outcome = this.outcome(lease.webhookId, delivery, exchange, at);
    this.metrics.observe(outcome.state, exchange);
    const written = this.finisher.finish({ lease: lease.lease, outcome, at, exchange, validUntil });
    return { exchange, written };
  }

  private async send({ url, keys }: Endpoint, delivery: QueuedRow): Promise<Exchange> {
    if (keys.length === 0) return { ...UNREADABLE, sentAt: this.clock.now() };
    const { event_id: eventId, payload: body, traceparent } = delivery;
    this.metrics.begin();
    try {
      return await this.sender.send({ url, keys, eventId, body, traceparent });
    } finally {
      this.metrics.end();
    }
  }

  private outcome(webhookId: string, row: QueuedRow, exchange: Exchange | null, at: Date): DeliveryOutcome {
    const { id, attempts, last_status: lastStatus } = row;
    const base = { id, webhookId, nextAttemptAt: null, finishedAt: at };
    if (!exchange) return { ...base, state: 'cancelled', attempts, lastStatus };
    if (!wasSent(exchange)) {
      const nextAttemptAt = new Date(at.getTime() + UNREADABLE_WAIT_MS);
      return { ...base, state: 'pending', attempts, lastStatus, nextAttemptAt, finishedAt: null };
    }
    const tries = attempts + 1;
    const tried = { ...base, attempts: tries, lastStatus: exchange.status };
    if (isSuccess(exchange)) return { ...tried, state: 'delivered' };
    const nextAttemptAt = exchange.status === 410 ? null : this.policy.nextAt(tries, exchange, at.getTime());
    if (!nextAttemptAt) return { ...tried, state: 'failed' };
    return { ...tried, state: 'pending', nextAttemptAt, finishedAt: null };
  }
}
