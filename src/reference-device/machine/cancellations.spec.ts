import { Cancellations } from './cancellations';
import { ExpiringIds } from './expiring-ids';

describe('Cancellations', () => {
  let now = 1_000_000;
  const cancellations = new Cancellations(() => now);

  it('abort what runs', () => {
    const signal = cancellations.begin('a');
    cancellations.cancel('b');
    expect(signal.aborted).toBe(false);
    cancellations.cancel('a');
    expect(signal.aborted).toBe(true);
  });

  it('are remembered for a request that comes later, but not for ever', () => {
    cancellations.cancel('late');
    now += 30_000;
    expect(cancellations.has('late')).toBe(true);
    now += 31_000;
    expect(cancellations.has('late')).toBe(false);
  });

  it('do not reach what has ended', () => {
    const signal = cancellations.begin('done');
    cancellations.end('done');
    cancellations.cancel('done');
    expect(signal.aborted).toBe(false);
  });
});

describe('ExpiringIds', () => {
  it('does not grow for ever', () => {
    let now = 0;
    const ids = new ExpiringIds(() => now);
    for (now = 0; now < 100_000; now += 10) ids.add(String(now), now + 1000);
    expect(ids.size).toBeLessThanOrEqual(101);
  });
});
