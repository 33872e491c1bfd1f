import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { addGauge } from '../../core/metrics';
import type { RelayCallEntity } from './audit/relay-call.entity';
import { DeviceCallLimiter, RelayBus } from '../relay-bus';

const STAGE_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of relayed calls: outcomes, durations by stage, and calls in flight. */
@Injectable()
export class RelayMetrics {
  private readonly callCounter: Counter;
  private readonly stageHistogram: Histogram;
  readonly lateAnswerCounter: Counter;

  constructor(registry: Registry, bus: RelayBus, deviceCallLimiter: DeviceCallLimiter) {
    const registers = [registry];
    this.callCounter = new Counter({
      name: 'relay_calls_total',
      help: 'Relayed calls by method, status and outcome',
      labelNames: ['method', 'status', 'outcome'],
      registers,
    });
    this.stageHistogram = new Histogram({
      name: 'relay_stage_seconds',
      help: 'Duration of the stages of a relayed call',
      labelNames: ['stage'],
      buckets: STAGE_BUCKETS_SECONDS,
      registers,
    });
    this.lateAnswerCounter = new Counter({
      name: 'relay_late_answers_total',
      help: 'Answers that arrived after their call had ended',
      registers,
    });
    addGauge(registry, 'relay_pending_calls', 'Calls that this instance waits for', () => bus.pendingCallCount);
    addGauge(
      registry,
      'relay_in_flight_calls',
      'Calls that devices of this instance have not answered yet',
      () => deviceCallLimiter.totalCalls,
    );
    addGauge(
      registry,
      'relay_connected_devices',
      'Device sockets that are connected to this instance',
      () => bus.connectionCount,
    );
  }

  observeCall({ method, status, outcome, routeMs, deviceMs, totalMs }: RelayCallEntity): void {
    this.callCounter.inc({ method, status, outcome: outcome ?? 'none' });
    for (const [stage, ms] of Object.entries({ route: routeMs, device: deviceMs, total: totalMs })) {
      if (ms !== null) this.stageHistogram.observe({ stage }, ms / 1000);
    }
  }
}
