import { ApiResponseError } from '../client-errors';
import { Backoff } from './backoff';
import { retryTransientErrors } from './retry';

it.each([
  ['the time that the service names', 1_000_000, 1],
  ['its own backoff if that is longer', 1, 2_000_000],
])('a retry waits for %s', async (_, retryAfterMs, backoffMs) => {
  const stop = new AbortController();
  const waits: number[] = [];
  const retried = retryTransientErrors(
    () => Promise.reject(new ApiResponseError(429, 'rate_limited', 'Too many requests.', null, retryAfterMs)),
    {
      backoff: new Backoff({ baseMs: backoffMs, maxMs: backoffMs }),
      signal: stop.signal,
      waiting: (_error, waitMs) => {
        waits.push(waitMs);
        stop.abort();
      },
    },
  );
  await expect(retried).rejects.toMatchObject({ name: 'AbortError' });
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(1_000_000);
});
