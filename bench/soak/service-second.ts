import { readSamples } from '../../test/multi-instance/support/prometheus';
import type { Ground } from './ground';

/** What the service says of itself at a second's end. */
export interface ServiceSecond {
  rssBytes: number;
  heapUsedBytes: number;
  /** Heap and external memory that the last full collection left, and how many there were; none is made for this. */
  heldBytes: number;
  collections: number;
  /** In ms, of the span since the last reading. */
  eventLoopLagP99Ms: number;
  connectedDevices: number;
  /** CPU of the process so far, in µs. */
  cpuUs: number;
}

export async function readService({ scene, metricsUrl }: Ground): Promise<ServiceSecond> {
  const samples = readSamples(await (await fetch(metricsUrl)).text());
  const valueOf = (name: string) => {
    const sample = samples.find((each) => each.name === name);
    if (!sample) throw new Error(`the service exports no ${name}`);
    return sample.value;
  };
  const { child } = scene.first;
  const held = await child.held();
  return {
    rssBytes: valueOf('process_resident_memory_bytes'),
    heapUsedBytes: valueOf('nodejs_heap_size_used_bytes'),
    heldBytes: held.bytes,
    collections: held.collections,
    eventLoopLagP99Ms: valueOf('nodejs_eventloop_lag_p99_seconds') * 1_000,
    connectedDevices: valueOf('relay_connected_devices'),
    cpuUs: await child.cpu(),
  };
}
