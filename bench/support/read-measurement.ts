import type { Measurement } from '../benchmark-row';
import type { LoadGenerator, LoadRequest } from './load-generator';

export interface ReadOptions {
  loadGenerator: LoadGenerator;
  connections: number;
  seconds: number;
}

/** Measures responses per second to one GET with a token. */
export function createReadMeasurement(
  { loadGenerator: load, connections, seconds }: ReadOptions,
  { url }: { url: string },
  path: string,
  token: string,
): () => Promise<number> {
  const request: LoadRequest = { path, headers: { Authorization: `Bearer ${token}` } };
  return () => load.measureThroughput(url, [request], connections, seconds);
}

/** Runs both sides until query plans, caches and the compiler are warm. */
export async function warmUpMeasurements(times: number, ...samples: Measurement[]): Promise<void> {
  for (let i = 0; i < times; i++) for (const sample of samples) await sample();
}
