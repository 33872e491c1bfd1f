import { LinkedSignal, sleep } from './abort.ts';

const DAY_MS = 86_400_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe.each([30 * DAY_MS, Infinity])('a time that is longer than timers can be: %d ms', (ms) => {
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

it.each([1, 30, 60])('ends a call in time, also after %d days', async (days) => {
  const link = new LinkedSignal([]);
  const reason = new Error('too late');
  link.setDeadline(days * DAY_MS, reason);
  await jest.advanceTimersByTimeAsync(days * DAY_MS - 1);
  expect(link.signal.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(link.signal.reason).toBe(reason);
});

it.each([1, 30])('ends no call after a deadline of %d days that was cleared', async (days) => {
  const link = new LinkedSignal([]);
  link.setDeadline(days * DAY_MS, new Error('too late'));
  await jest.advanceTimersByTimeAsync((days - 1) * DAY_MS);
  link.clearDeadline();
  await jest.advanceTimersByTimeAsync(DAY_MS);
  expect(link.signal.aborted).toBe(false);
});
