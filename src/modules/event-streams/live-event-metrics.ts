import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Metrics of live events, which streams send once and store nowhere. */
@Injectable()
export class LiveEventMetrics {
  readonly droppedEvents: Counter<'type'>;

  constructor(registry: Registry) {
    this.droppedEvents = new Counter({
      name: 'event_stream_dropped_live_events_total',
      help: 'Live events that were not sent to a stream because its client reads too slowly',
      labelNames: ['type'],
      registers: [registry],
    });
  }
}
