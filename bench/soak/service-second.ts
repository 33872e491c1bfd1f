import { parseMetricSamples } from '../../test/multi-instance/support/prometheus';
import type { SoakSetup } from './soak-setup';

/** Metrics of the service at the end of a second. */
export interface ServiceSecond {
  rssBytes: number;
  heapUsedBytes: number;
  /** Heap and external memory after the last full garbage collection. The bench forces none. */
  heldBytes: number;
  collections: number;
  /** In ms, since the previous reading. */
  eventLoopLagP99Ms: number;
  connectedDevices: number;
  /** Total CPU time of the process, in µs. */
  cpuUs: number;
}

export async function readServiceSecond({ benchFixture, metricsUrl }: SoakSetup): Promise<ServiceSecond> {
  const samples = parseMetricSamples(await (await fetch(metricsUrl)).text());
  const valueOf = (name: string) => {
    const sample = samples.find((each) => each.name === name);
    if (!sample) throw new Error(`the service doesn't export ${name}`);
    return sample.value;
  };
  const { benchProcess: child } = benchFixture.firstInstance;
  const held = await child.readRetainedMemory();
  return {
    rssBytes: valueOf('process_resident_memory_bytes'),
    heapUsedBytes: valueOf('nodejs_heap_size_used_bytes'),
    heldBytes: held.bytes,
    collections: held.collections,
    eventLoopLagP99Ms: valueOf('nodejs_eventloop_lag_p99_seconds') * 1_000,
    connectedDevices: valueOf('relay_connected_devices'),
    cpuUs: await child.readCpuUs(),
  };
}
