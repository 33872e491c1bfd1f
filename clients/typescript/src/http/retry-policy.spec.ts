import { ApiError, type ApiErrorInit } from '../errors.ts';
import { decideRetry, RetryBudget } from './retry-policy.ts';

const createError = (init: Partial<ApiErrorInit>) => new ApiError({ message: 'x', status: 0, code: 'x', ...init });

describe('the retry of a call', () => {
  it.each<[string, Partial<ApiErrorInit>, isRepeatable: boolean, isSafe: boolean, expected: string]>([
    ['that was refused for a time', { status: 429, outcome: 'not_delivered' }, false, false, 'wait'],
    ['whose first run goes on', { status: 409, code: 'idempotency_in_progress' }, true, false, 'wait'],
    ['that was not delivered', { status: 503, outcome: 'not_delivered' }, false, false, 'repeat'],
    ['that the token may not make', { status: 403, outcome: 'not_delivered' }, true, true, 'stop'],
    ['while the agent works', { status: 409, code: 'session_busy', outcome: 'not_delivered' }, true, false, 'stop'],
    ['whose answer is lost', { status: 409, code: 'answer_not_kept', outcome: 'unknown' }, true, false, 'stop'],
    ['that did not arrive in time', { status: 408 }, false, false, 'repeat'],
    ['that the device has answered', { status: 502, outcome: 'answered' }, true, true, 'stop'],
    ['with an unknown outcome and a key', { status: 504, outcome: 'unknown' }, true, false, 'repeat'],
    ['with an unknown outcome and without a key', { status: 504, outcome: 'unknown' }, false, false, 'stop'],
    ['without a response and with a key', { status: 0 }, true, false, 'repeat'],
    ['without a response and without a key', { status: 0 }, false, false, 'stop'],
    ['that something else answered, with a key', { status: 404, code: 'unexpected_response' }, true, false, 'repeat'],
    ['that something else answered, without a key', { status: 404, code: 'unexpected_response' }, false, false, 'stop'],
    ['that a proxy refused, with a key', { status: 502 }, true, false, 'repeat'],
    ['that a proxy refused, without a key', { status: 502 }, false, false, 'stop'],
    ['that hit a defect, if it only reads', { status: 500 }, true, true, 'repeat'],
    ['that hit a defect, if it changes something', { status: 500 }, true, false, 'stop'],
    ['that is wrong', { status: 400 }, true, true, 'stop'],
    ['with another request under its key', { status: 422 }, true, true, 'stop'],
  ])('%s', (_, init, isRepeatable, isSafe, expected) => {
    expect(decideRetry(createError(init), isRepeatable, isSafe)).toBe(expected);
  });
});

describe('the budget of retries', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  const consume = (budget: RetryBudget, count: number, init: Partial<ApiErrorInit> = {}) =>
    Array.from({ length: count }, () => budget.consume(createError(init), 'repeat'));

  it('doubles the delay up to 8 s', () => {
    expect(consume(new RetryBudget(9, 90_000), 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it('has full jitter', () => {
    jest.mocked(Math.random).mockReturnValue(0.5);
    expect(consume(new RetryBudget(9, 90_000), 2)).toEqual([125, 250]);
  });

  it('follows Retry-After, with a second of jitter at most', () => {
    expect(consume(new RetryBudget(9, 90_000), 4, { retryAfterSeconds: 7 })).toEqual([7_250, 7_500, 8_000, 8_000]);
  });

  it('is spent after the repetitions', () => {
    expect(consume(new RetryBudget(2, 90_000), 3)).toEqual([250, 500, null]);
    expect(consume(new RetryBudget(0, 90_000), 1)).toEqual([null]);
  });

  it('does not count refusals for a time, except by the time', () => {
    const budget = new RetryBudget(1, 10_000);
    const wait = () => budget.consume(createError({ status: 429, retryAfterSeconds: 3 }), 'wait');
    for (let n = 0; n < 3; n++) {
      const delay = wait();
      expect(delay).toBeGreaterThanOrEqual(3_000);
      jest.advanceTimersByTime(3_000);
    }
    expect(wait()).toBeNull();
  });

  it('ends with a call that must not be repeated', () => {
    expect(new RetryBudget(4, 90_000).consume(createError({}), 'stop')).toBeNull();
  });
});
