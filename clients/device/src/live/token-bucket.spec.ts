import { TokenBucket } from './token-bucket';

it('allows a burst, then its rate', () => {
  let now = 0;
  const bucket = new TokenBucket(100, 50, () => now);
  expect([bucket.tryConsume(100), bucket.tryConsume(1)]).toEqual([true, false]);
  now += 1_000;
  expect([bucket.tryConsume(51), bucket.tryConsume(50), bucket.tryConsume(1)]).toEqual([false, true, false]);
  now += 3_600_000;
  expect([bucket.tryConsume(101), bucket.tryConsume(100), bucket.tryConsume(1)]).toEqual([false, true, false]);
});
