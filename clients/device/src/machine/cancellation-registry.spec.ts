import { CancellationRegistry, ExpiringIdSet } from './cancellation-registry';

describe('Cancellations', () => {
  let now = 1_000_000;
  const cancellationRegistry = new CancellationRegistry(() => now);

  it('abort what runs', () => {
    const signal = cancellationRegistry.registerCall('a');
    cancellationRegistry.cancelCall('b');
    expect(signal.aborted).toBe(false);
    cancellationRegistry.cancelCall('a');
    expect(signal.aborted).toBe(true);
  });

  it('are remembered for a request that comes later, but not for ever', () => {
    cancellationRegistry.cancelCall('late');
    now += 30_000;
    expect(cancellationRegistry.isCancelled('late')).toBe(true);
    now += 31_000;
    expect(cancellationRegistry.isCancelled('late')).toBe(false);
  });

  it('do not reach what has ended', () => {
    const signal = cancellationRegistry.registerCall('done');
    cancellationRegistry.unregisterCall('done');
    cancellationRegistry.cancelCall('done');
    expect(signal.aborted).toBe(false);
  });
});

describe('ExpiringIds', () => {
  it('does not grow for ever', () => {
    let now = 0;
    const ids = new ExpiringIdSet(() => now);
    for (now = 0; now < 100_000; now += 10) ids.add(String(now), now + 1000);
    expect(ids.size).toBeLessThanOrEqual(101);
  });
});
