import type { HttpResponse } from './http-client';

/**
 * Checks an error response and returns its problem document (docs/protocol/external-api.md#errors).
 */
export function expectProblem(httpResponse: HttpResponse, status: number, code: string): any {
  expect(httpResponse.body).toMatchObject({ status, code });
  expect(httpResponse.status).toBe(status);
  expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
  if (!httpResponse.headers.has('idempotency-replayed')) {
    expect(httpResponse.body.requestId).toBe(httpResponse.headers.get('x-request-id'));
  }
  return httpResponse.body;
}

/** Returns the JSON pointers of a problem's violations. */
export function expectViolationPaths(httpResponse: HttpResponse): string[] {
  return expectProblem(httpResponse, 400, 'invalid_request').errors.map(
    (violation: { path: string }) => violation.path,
  );
}
