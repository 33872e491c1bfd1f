import type { OpenApiNode } from '../../../support/conformance';
import { copyDraft, describeDraft, type RequestDraft, type RequestMutation } from './request-draft';
import type { FuzzResponse, RawRequestClient } from './raw-request-client';
import type { ResponseValidator } from './response-validator';
import type { SeededRandom } from './seeded-random';

const MAX_FAILURES_SHOWN = 8;

/** `FUZZ_SEED=… npm test -- fuzz` repeats a run. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 1);

/** Requests at once. */
export const FUZZ_CONCURRENCY = 8;

/** Source of the valid requests of an operation. */
export interface BaselineSource {
  getDraft(): RequestDraft;
  /** Called after each response, since a request may have used up what the draft refers to. */
  handleAnswer?(answer: FuzzResponse): Promise<void>;
}

/** Sends mutated requests and collects the violations of their responses. */
export class FuzzRunner {
  sentCount = 0;

  constructor(
    private readonly rawRequestClient: RawRequestClient,
    private readonly responseValidator: ResponseValidator,
  ) {}

  /** @throws Error with the first violations, if there are any */
  async runCases(cases: readonly RequestMutation[][], source: BaselineSource): Promise<void> {
    const violations: string[] = [];
    const queue = [...cases];
    const workers = Array.from({ length: FUZZ_CONCURRENCY }, async () => {
      for (let mutations = queue.shift(); mutations; mutations = queue.shift()) {
        const requestDraft = copyDraft(source.getDraft());
        for (const mutation of mutations) mutation.apply(requestDraft);
        const violation = await this.findViolation(requestDraft, source);
        const name = mutations.map((mutation) => mutation.name).join(' + ');
        if (violation) violations.push(`${name}: ${violation}\n    ${describeDraft(requestDraft)}`);
      }
    });
    await Promise.all(workers);
    assertNoViolations(violations, cases.length);
  }

  private async findViolation(requestDraft: RequestDraft, source: BaselineSource): Promise<string | null> {
    this.sentCount++;
    let answer: FuzzResponse;
    try {
      answer = await this.rawRequestClient.sendDraft(requestDraft);
    } catch (error) {
      return `no answer: ${(error as Error).message}`;
    }
    await source.handleAnswer?.(answer);
    return this.responseValidator.findViolation(requestDraft, answer);
  }
}

/** Returns sets of two to four mutations. */
export function combineMutations(
  mutations: readonly RequestMutation[],
  count: number,
  seededRandom: SeededRandom,
): RequestMutation[][] {
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + seededRandom.nextBelow(3) }, () => seededRandom.pickValue(mutations)),
  );
}

/** @throws Error with the first violations, if there are any */
export function assertNoViolations(violations: readonly string[], count: number): void {
  if (violations.length === 0) return;
  const shown = violations.slice(0, MAX_FAILURES_SHOWN).join('\n');
  throw new Error(`${violations.length} of ${count} (FUZZ_SEED=${FUZZ_SEED})\n${shown}`);
}

/** Fails the test unless a valid request has succeeded. */
export function assertSuccess(violation: string | null, { status, body }: FuzzResponse): void {
  expect(violation).toBeNull();
  expect([status < 400, body as OpenApiNode]).toEqual([true, body]);
}
