import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { addGauge } from '../../../core/metrics';
import { WatchLeaseRegistry } from './watch-lease-registry';

/** Metrics of live output that the devices of this instance send. */
@Injectable()
export class LiveOutputMetrics {
  readonly receivedMessages: Counter<'type'>;
  readonly droppedMessages: Counter<'type' | 'reason'>;

  constructor(registry: Registry, watchLeaseRegistry: WatchLeaseRegistry) {
    const registers = [registry];
    this.receivedMessages = new Counter({
      name: 'relay_live_messages_total',
      help: 'Messages of live output from devices of this instance, including dropped ones',
      labelNames: ['type'],
      registers,
    });
    this.droppedMessages = new Counter({
      name: 'relay_live_messages_dropped_total',
      help: 'Messages of live output that were dropped: nobody watches, the device exceeds its rate, or Redis is slow',
      labelNames: ['type', 'reason'],
      registers,
    });
    addGauge(
      registry,
      'relay_watched_topics',
      'Sessions and invocations of devices of this instance whose live output is watched',
      () => watchLeaseRegistry.topicCount,
    );
  }
}
