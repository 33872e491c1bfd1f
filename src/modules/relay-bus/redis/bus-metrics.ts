import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { addGauge } from '../../../core/metrics';

/** Metrics of the bus between instances (docs/protocol/relay.md#routing-between-instances). */
@Injectable()
export class BusMetrics {
  readonly prunedEntries: Counter;
  readonly duplicateAnswers: Counter;
  readonly expiredCalls: Counter;
  readonly rejectedMessages: Counter<'reason'>;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.prunedEntries = new Counter({
      name: 'relay_presence_pruned_total',
      help: 'Entries of dead instances removed from the presence of an account',
      registers,
    });
    this.duplicateAnswers = new Counter({
      name: 'relay_duplicate_answers_total',
      help: 'Answers from other instances to calls that had already ended',
      registers,
    });
    this.expiredCalls = new Counter({
      name: 'relay_expired_calls_total',
      help: 'Calls from other instances that arrived too late to start',
      registers,
    });
    this.rejectedMessages = new Counter({
      name: 'relay_rejected_messages_total',
      help: 'Bus messages that were not signed with the same APP_SECRET, or were misdirected or stale',
      labelNames: ['reason'],
      registers,
    });
  }

  registerGauges({ leaseAgeMs, incoming }: { leaseAgeMs: () => number; incoming: () => number }): void {
    const { registry } = this;
    addGauge(
      registry,
      'relay_lease_age_seconds',
      "Time since this instance's lease was renewed",
      () => leaseAgeMs() / 1_000,
    );
    addGauge(registry, 'relay_incoming_calls', 'Calls from other instances that run on devices of this one', incoming);
  }
}
