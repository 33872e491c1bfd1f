import type { Answer } from '../../support/http-client';

export interface Timed {
  answer: Answer;
  /** In ms */
  tookMs: number;
  /** `performance.now()` */
  endedAt: number;
}

/** A call and the time that it took. */
export async function timed(call: () => Promise<Answer>): Promise<Timed> {
  const beganAt = performance.now();
  const answer = await call();
  const endedAt = performance.now();
  return { answer, tookMs: endedAt - beganAt, endedAt };
}
