import type { Answer } from '../../support/http-client';

/** One call of a stream of calls. */
export interface Call {
  /** `performance.now()` when it began, and the milliseconds that it took. */
  beganAt: number;
  tookMs: number;
  answer: Answer | null;
  /** Why there is no answer: the connection failed, or what came is not in the API's document. */
  error?: Error;
}

/** Callers that call again as soon as they are answered, until the test stops them. */
export class Traffic {
  readonly calls: Call[] = [];
  private running = true;
  private readonly done: Promise<unknown>;

  constructor(call: () => Promise<Answer>, callers = 4) {
    this.done = Promise.all(Array.from({ length: callers }, () => this.repeat(call)));
  }

  /** Every call, in the order of their ends. */
  async stop(): Promise<Call[]> {
    this.running = false;
    await this.done;
    return this.calls;
  }

  private async repeat(call: () => Promise<Answer>): Promise<void> {
    while (this.running) {
      const beganAt = performance.now();
      const outcome = await call().then(
        (answer) => ({ answer }),
        (error: Error) => ({ answer: null, error }),
      );
      this.calls.push({ beganAt, tookMs: performance.now() - beganAt, ...outcome });
    }
  }
}

/** How often each status came; 0 stands for no answer. */
export function statuses(calls: readonly Pick<Call, 'answer'>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { answer } of calls) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}
