import type { Answer } from './http-client';

/** The problem document of a refusal, after the checks that hold for each of them (external-api.md, Errors). */
export function problem(answer: Answer, status: number, code: string): any {
  expect(answer.body).toMatchObject({ status, code });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  if (!answer.headers.has('idempotency-replayed')) {
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
  }
  return answer.body;
}

/** The JSON pointers of a validation problem. */
export function faultPaths(answer: Answer): string[] {
  return problem(answer, 400, 'invalid_request').errors.map((fault: { path: string }) => fault.path);
}
