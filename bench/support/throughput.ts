import type { Sample } from '../row';
import type { Load, LoadRequest } from './load';

export interface Reading {
  load: Load;
  connections: number;
  seconds: number;
}

/** Answers per second to one GET with a token. */
export function reads(
  { load, connections, seconds }: Reading,
  { url }: { url: string },
  path: string,
  token: string,
): Sample {
  const request: LoadRequest = { path, headers: { Authorization: `Bearer ${token}` } };
  return () => load.throughput(url, [request], connections, seconds);
}

/** Plans, caches and compiled code settle before anything is counted. */
export async function warmUp(...samples: Sample[]): Promise<void> {
  for (const sample of [...samples, ...samples]) await sample();
}
