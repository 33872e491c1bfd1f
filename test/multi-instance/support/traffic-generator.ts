import { ConformanceError } from '../../support/conformance';
import type { HttpResponse } from '../../support/http-client';

/** One call of the traffic. */
export interface RecordedCall {
  /** `performance.now()` at the start, and the duration in ms. */
  startedAt: number;
  tookMs: number;
  answer: HttpResponse | null;
  /** Reason for a missing response. */
  error?: Error;
}

/** Callers that repeat calls continuously until the test stops them. */
export class TrafficGenerator {
  readonly calls: RecordedCall[] = [];
  private isRunning = true;
  private readonly done: Promise<unknown>;

  constructor(call: () => Promise<HttpResponse>, callers = 4) {
    this.done = Promise.all(Array.from({ length: callers }, () => this.repeatCall(call)));
  }

  /**
   * Stops the callers and returns all calls in the order of completion.
   * @throws ConformanceError of the first response that violates the API's document
   */
  async stopCallers(): Promise<RecordedCall[]> {
    this.isRunning = false;
    await this.done;
    const violation = this.calls.find(({ error }) => error instanceof ConformanceError);
    if (violation) throw violation.error!;
    return this.calls;
  }

  private async repeatCall(call: () => Promise<HttpResponse>): Promise<void> {
    while (this.isRunning) {
      const startedAt = performance.now();
      const outcome = await call().then(
        (answer) => ({ answer }),
        (error: Error) => ({ answer: null, error }),
      );
      this.calls.push({ startedAt, tookMs: performance.now() - startedAt, ...outcome });
    }
  }
}

/** Returns the number of calls by status; 0 means no response. */
export function countStatuses(calls: readonly Pick<RecordedCall, 'answer'>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { answer } of calls) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}
