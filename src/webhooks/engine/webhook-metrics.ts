import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DeliveryState } from '../deliveries/delivery-record';
import { isSuccess, type Exchange } from '../sending/exchange';

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Deliveries that ended and tries that were made, by how. */
@Injectable()
export class WebhookMetrics {
  private readonly deliveries: Counter;
  private readonly tries: Histogram;
  private readonly underWay: Gauge;
  readonly lanes: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'webhook_deliveries_total',
      help: 'Webhook deliveries that ended, by state',
      labelNames: ['state'],
      registers,
    });
    this.tries = new Histogram({
      name: 'webhook_try_seconds',
      help: 'Time of the tries of webhook deliveries, by outcome',
      labelNames: ['outcome'],
      buckets: BUCKETS,
      registers,
    });
    this.underWay = new Gauge({
      name: 'webhook_in_flight_tries',
      help: 'Webhook requests that this instance waits for',
      registers,
    });
    this.lanes = new Gauge({
      name: 'webhook_leased_lanes',
      help: 'Endpoints that this instance sends to',
      registers,
    });
  }

  observe(state: DeliveryState, exchange: Exchange | null): void {
    if (state !== 'pending') this.deliveries.inc({ state });
    if (!exchange) return;
    const outcome = isSuccess(exchange) ? 'success' : (exchange.error ?? 'refused');
    this.tries.observe({ outcome }, exchange.durationMs / 1000);
  }

  begin(): void {
    this.underWay.inc();
  }

  end(): void {
    this.underWay.dec();
  }
}
