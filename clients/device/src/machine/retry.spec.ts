import { setTimeout as sleep } from 'node:timers/promises';
import { ApiResponseError, UnreachableError } from '../client-errors';
import { Backoff } from './backoff';
import { CapabilityNegotiation } from './capability-negotiation';
import { retryTransientErrors, waitBeforeAttempt } from './retry';

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

it.each([
  ['ends when a connection opens if the service could not be reached', new UnreachableError('It is away.'), true],
  ['lasts as long as the service asks for', new ApiResponseError(429, 'rate_limited', 'Wait.', null, 60_000), false],
])('the wait before an attempt %s', async (_, error, endsWithHello) => {
  const capabilities = new CapabilityNegotiation();
  const stop = new AbortController();
  const backoff = new Backoff({ baseMs: 60_000, maxMs: 60_000 });
  let hasEnded = false;
  const wait = waitBeforeAttempt(error, { backoff, capabilities, signal: stop.signal }).then(() => (hasEnded = true));
  capabilities.applyHello({ serverTime: 0, deviceId: 'dev_1' });
  await sleep(20);
  expect(hasEnded).toBe(endsWithHello);
  stop.abort();
  await wait;
});
