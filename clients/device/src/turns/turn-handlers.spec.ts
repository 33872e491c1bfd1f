import { limitWaitMs } from './turn-handlers';

it.each([
  ['as long as the caller wants', 20_000, 30_000, 20_000],
  ['2 s less than the service waits for the answer', 30_000, 30_000, 28_000],
  ['not at all if the service hardly waits', 5_000, 1_000, 0],
])('a call waits for its turn %s', (_, waitMs, timeoutMs, expectedMs) => {
  expect(limitWaitMs(waitMs, timeoutMs)).toBe(expectedMs);
});
