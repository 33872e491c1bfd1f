import { setTimeout as sleep } from 'node:timers/promises';
import { ConformanceError } from '../../support/conformance';
import type { HttpResponse } from '../../support/http-client';
import { waitFor } from '../../support/wait-for';

/** Pause of a caller after each call. Without it, the callers of one test would take both cores from all others. */
const PAUSE_MS = 100;

/** One call of the traffic. */
export interface RecordedCall {
  /** `performance.now()` at the start, and the duration in ms. */
  startedAt: number;
  tookMs: number;
  answer: HttpResponse | null;
  /** Reason for a missing response. */
  error?: Error;
}

/** Callers that repeat calls until the test stops them. */
export class TrafficGenerator {
  readonly calls: RecordedCall[] = [];
  private isRunning = true;
  private readonly done: Promise<unknown>;

  constructor(call: () => Promise<HttpResponse>, callers = 4) {
    this.done = Promise.all(Array.from({ length: callers }, () => this.repeatCall(call)));
  }

  /** Waits until `count` more calls have ended. */
  async waitForCalls(count: number, withinMs = 60_000): Promise<void> {
    const before = this.calls.length;
    await waitFor(() => expect(this.calls.length).toBeGreaterThanOrEqual(before + count), withinMs);
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
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns the number of calls by status; 0 means no response. */
export function countStatuses(calls: readonly Pick<RecordedCall, 'answer'>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { answer } of calls) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}
