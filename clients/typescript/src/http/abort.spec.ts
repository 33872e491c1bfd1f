import { LinkedSignal, sleep } from './abort.ts';

const DAY_MS = 86_400_000;

describe.each([30 * DAY_MS, Infinity])('a time that is longer than timers can be: %d ms', (ms) => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is not waited for as if it was over', async () => {
    let isOver = false;
    const waiting = sleep(ms).then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(24 * DAY_MS);
    await waiting;
  });

  it('ends no call at once', async () => {
    const link = new LinkedSignal([]);
    link.setDeadline(ms, new Error('too late'));
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(link.signal.aborted).toBe(false);
  });
});
