import type { HttpResponse } from './http-client';

export interface ReportedViolation {
  in: string;
  path: string;
  code: string;
  message: string;
}

/** Returns place, path and code of each violation of a rejected request, sorted. */
export function listViolations({ body }: HttpResponse): [place: string, path: string, code: string][] {
  const violations = (body.errors ?? []) as ReportedViolation[];
  return violations.map((violation): [string, string, string] => [violation.in, violation.path, violation.code]).sort();
}
