import { TokenBucket } from './token-bucket';

describe('TokenBucket', () => {
  it('allows a burst of its capacity, and then its rate', () => {
    const bucket = new TokenBucket(10, 20, 1_000);
    expect(bucket.consume(20, 1_000)).toBe(true);
    expect(bucket.consume(1, 1_000)).toBe(false);
    expect(bucket.consume(1, 1_099)).toBe(false);
    expect(bucket.consume(1, 1_100)).toBe(true);
    expect(bucket.consume(5, 1_599)).toBe(false);
    expect(bucket.consume(5, 1_600)).toBe(true);
  });

  it('consumes nothing if it refuses, and holds no more than its capacity', () => {
    const bucket = new TokenBucket(10, 20, 0);
    expect(bucket.consume(21, 1_000_000)).toBe(false);
    expect(bucket.isFull(1_000_000)).toBe(true);
    expect(bucket.consume(20, 1_000_000)).toBe(true);
    expect(bucket.isFull(1_001_999)).toBe(false);
    expect(bucket.isFull(1_002_000)).toBe(true);
  });
});
