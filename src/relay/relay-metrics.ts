import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RelayCallEntity } from './audit/relay-call.entity';
import { DeviceSlots } from './bus/device-slots';
import { RelayBus } from './bus/relay-bus';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Calls by outcome, how long their stages take, and how many are under way. */
@Injectable()
export class RelayMetrics {
  private readonly calls: Counter;
  private readonly stages: Histogram;
  readonly late: Counter;

  constructor(registry: Registry, bus: RelayBus, slots: DeviceSlots) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'relay_calls_total',
      help: 'Relayed calls by method, status and outcome',
      labelNames: ['method', 'status', 'outcome'],
      registers,
    });
    this.stages = new Histogram({
      name: 'relay_stage_seconds',
      help: 'Time of a relayed call in its stages',
      labelNames: ['stage'],
      buckets: BUCKETS,
      registers,
    });
    this.late = new Counter({
      name: 'relay_late_answers_total',
      help: 'Answers that came after their call had ended',
      registers,
    });
    new Gauge({
      name: 'relay_pending_calls',
      help: 'Calls that this instance waits for',
      registers,
      collect() {
        this.set(bus.pending);
      },
    });
    new Gauge({
      name: 'relay_in_flight_calls',
      help: 'Calls that devices of this instance have not answered yet',
      registers,
      collect() {
        this.set(slots.total);
      },
    });
    new Gauge({
      name: 'relay_connected_devices',
      help: 'Device sockets that this instance holds',
      registers,
      collect() {
        this.set(bus.connectionCount);
      },
    });
  }

  observe({ method, status, outcome, routeMs, deviceMs, totalMs }: RelayCallEntity): void {
    this.calls.inc({ method, status, outcome: outcome ?? 'none' });
    for (const [stage, ms] of Object.entries({ route: routeMs, device: deviceMs, total: totalMs })) {
      if (ms !== null) this.stages.observe({ stage }, ms / 1000);
    }
  }
}
