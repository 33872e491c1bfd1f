import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** What instances see of each other (relay.md). */
@Injectable()
export class BusMetrics {
  readonly pruned: Counter;
  readonly duplicates: Counter;
  readonly expired: Counter;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.pruned = new Counter({
      name: 'relay_presence_pruned_total',
      help: 'Entries of dead instances removed from the presence of an account',
      registers,
    });
    this.duplicates = new Counter({
      name: 'relay_duplicate_answers_total',
      help: 'Answers from other instances that nobody waited for',
      registers,
    });
    this.expired = new Counter({
      name: 'relay_expired_calls_total',
      help: 'Calls of other instances that arrived too late to begin',
      registers,
    });
  }

  /** Gauges are read when they are asked for. */
  observe({ leaseAgeMs, incoming }: { leaseAgeMs: () => number; incoming: () => number }): void {
    const registers = [this.registry];
    new Gauge({
      name: 'relay_lease_age_seconds',
      help: "Time since this instance's lease was renewed",
      registers,
      collect() {
        this.set(leaseAgeMs() / 1_000);
      },
    });
    new Gauge({
      name: 'relay_incoming_calls',
      help: 'Calls of other instances that run on devices of this one',
      registers,
      collect() {
        this.set(incoming());
      },
    });
  }
}
