import type { Answer } from './http-client';

export interface Fault {
  in: string;
  path: string;
  code: string;
  message: string;
}

/** Where each fault of a refused request lies and what it is, in order of place and path. */
export function faultsOf({ body }: Answer): [place: string, path: string, code: string][] {
  const faults = (body.errors ?? []) as Fault[];
  return faults.map((fault): [string, string, string] => [fault.in, fault.path, fault.code]).sort();
}
