import type { HttpResponse } from '../../support/http-client';

export interface TimedCall {
  httpResponse: HttpResponse;
  /** Duration in ms. */
  tookMs: number;
  /** `performance.now()` */
  finishedAt: number;
}

/** A call and the time that it took. */
export async function timeCall(call: () => Promise<HttpResponse>): Promise<TimedCall> {
  const startedAt = performance.now();
  const httpResponse = await call();
  const finishedAt = performance.now();
  return { httpResponse, tookMs: finishedAt - startedAt, finishedAt };
}
