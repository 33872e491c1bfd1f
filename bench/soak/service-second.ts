import { parseMetricSamples } from '../../test/multi-instance/support/prometheus';
import type { SoakSetup } from './soak-setup';
import { sumValues } from './statistics';

/** Metrics of the service at the end of a second. */
export interface ServiceSecond {
  rssBytes: number;
  heapUsedBytes: number;
  /** Heap and external memory after the last full garbage collection. The bench forces none. */
  heldBytes: number;
  collections: number;
  /** In ms, since the previous reading. */
  eventLoopLagP99Ms: number;
  /** Longest lag of the event loop in ms, since the previous reading. */
  eventLoopLagMaxMs: number;
  /** Garbage collections in ms per second, since the previous reading. Part of it runs beside the event loop. */
  gcMs: number;
  connectedDevices: number;
  /** Total CPU time of the process, in µs. */
  cpuUs: number;
}

/** Reads the metrics of the service second by second. */
export class ServiceSampler {
  private gcMsBefore = 0;
  private readAt = performance.now();

  constructor(private readonly soakSetup: SoakSetup) {}

  /** Returns the present metrics, and delays since the last call. */
  async takeSecond(): Promise<ServiceSecond> {
    const { benchFixture, metricsUrl } = this.soakSetup;
    const samples = parseMetricSamples(await (await fetch(metricsUrl)).text());
    const sumOf = (name: string) => {
      const values = samples.filter((each) => each.name === name).map(({ value }) => value);
      if (values.length === 0) throw new Error(`the service doesn't export ${name}`);
      return sumValues(values);
    };
    const { benchProcess: child } = benchFixture.firstInstance;
    const held = await child.readRetainedMemory();
    const { gcMsBefore, readAt } = this;
    this.readAt = performance.now();
    this.gcMsBefore = sumOf('nodejs_gc_duration_seconds_sum') * 1_000;
    return {
      rssBytes: sumOf('process_resident_memory_bytes'),
      heapUsedBytes: sumOf('nodejs_heap_size_used_bytes'),
      heldBytes: held.bytes,
      collections: held.collections,
      eventLoopLagP99Ms: sumOf('nodejs_eventloop_lag_p99_seconds') * 1_000,
      eventLoopLagMaxMs: sumOf('nodejs_eventloop_lag_max_seconds') * 1_000,
      gcMs: ((this.gcMsBefore - gcMsBefore) * 1_000) / (this.readAt - readAt),
      connectedDevices: sumOf('relay_connected_devices'),
      cpuUs: await child.readCpuUs(),
    };
  }
}
