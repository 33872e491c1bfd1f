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

/** Plans and caches settle and the compiler has seen some thousand calls before anything is counted. */
export async function warmUp(times: number, ...samples: Sample[]): Promise<void> {
  for (let i = 0; i < times; i++) for (const sample of samples) await sample();
}
