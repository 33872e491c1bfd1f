import { ServiceError, UnreachableError } from '../lib/api-client';
import { CoalescedRefresh } from './coalesced-refresh';

describe('CoalescedRefresh', () => {
  let runs: number;
  let errors: unknown[];
  let finishRun: (error?: Error) => void;
  let refresh: CoalescedRefresh;

  beforeEach(() => {
    jest.useFakeTimers();
    [runs, errors] = [0, []];
    const run = () => {
      runs++;
      return new Promise<void>((resolve, reject) => (finishRun = (error) => (error ? reject(error) : resolve())));
    };
    refresh = new CoalescedRefresh(run, (error) => errors.push(error));
  });
  afterEach(() => {
    refresh.stop();
    jest.useRealTimers();
  });

  it('runs once for many events, and again for those during a run', async () => {
    for (let i = 0; i < 5; i++) refresh.scheduleRefresh();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(1);
    refresh.scheduleRefresh();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(1);
    finishRun();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(2);
  });

  it.each([
    [new UnreachableError(), 2],
    [new ServiceError(429, {}), 2],
    [new ServiceError(401, {}), 1],
  ])('repeats a failed run if that can help: %s', async (error, expectedRuns) => {
    refresh.scheduleRefresh();
    await jest.advanceTimersByTimeAsync(1_000);
    finishRun(error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(errors).toEqual([error]);
    expect(runs).toBe(expectedRuns);
  });

  it('does not run after it was stopped', async () => {
    refresh.scheduleRefresh();
    refresh.stop();
    refresh.scheduleRefresh();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(0);
  });
});
