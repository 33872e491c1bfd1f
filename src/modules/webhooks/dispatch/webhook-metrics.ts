import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WebhookDeliveryState } from '../deliveries/delivery.response.dto';
import { isSuccessfulExchange, type WebhookExchange } from '../../webhook-sending';

const DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Counts finished deliveries and measures attempts. Renamed metrics also have their old name until the next release
 * (docs/monitoring.md#metrics).
 */
@Injectable()
export class WebhookMetrics {
  private readonly deliveries: Counter;
  private readonly attempts: Histogram[];
  private readonly inFlightAttempts: Gauge[];
  private readonly leasedQueues: Gauge[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'webhook_deliveries_total',
      help: 'Finished webhook deliveries, by state',
      labelNames: ['state'],
      registers,
    });
    this.attempts = withOldName(
      'webhook_attempt_seconds',
      'Duration of webhook delivery attempts, by outcome',
      'webhook_try_seconds',
    ).map((names) => new Histogram({ ...names, labelNames: ['outcome'], buckets: DURATION_BUCKETS, registers }));
    this.inFlightAttempts = withOldName(
      'webhook_in_flight_attempts',
      'Webhook requests in progress on this instance',
      'webhook_in_flight_tries',
    ).map((names) => new Gauge({ ...names, registers }));
    this.leasedQueues = withOldName(
      'webhook_leased_endpoint_queues',
      'Endpoint queues leased by this instance',
      'webhook_leased_lanes',
    ).map((names) => new Gauge({ ...names, registers }));
  }

  recordAttempt(state: WebhookDeliveryState, exchange: WebhookExchange | null): void {
    if (state !== 'pending') this.deliveries.inc({ state });
    if (!exchange) return;
    const outcome = isSuccessfulExchange(exchange) ? 'success' : (exchange.error ?? 'refused');
    for (const attempts of this.attempts) attempts.observe({ outcome }, exchange.durationMs / 1000);
  }

  recordAttemptStart(): void {
    for (const inFlightAttempts of this.inFlightAttempts) inFlightAttempts.inc();
  }

  recordAttemptEnd(): void {
    for (const inFlightAttempts of this.inFlightAttempts) inFlightAttempts.dec();
  }

  recordLeasedQueues(count: number): void {
    for (const leasedQueues of this.leasedQueues) leasedQueues.set(count);
  }
}

function withOldName(name: string, help: string, oldName: string) {
  return [
    { name, help },
    { name: oldName, help: `Deprecated: use ${name}` },
  ];
}
