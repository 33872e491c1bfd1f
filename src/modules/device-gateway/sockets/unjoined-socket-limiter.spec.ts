import { loadConfig } from '../../../core/config';
import { UnjoinedSocketLimiter } from './unjoined-socket-limiter';

describe('sockets that have not joined yet', () => {
  let limiter: UnjoinedSocketLimiter;

  beforeEach(() => {
    limiter = new UnjoinedSocketLimiter(loadConfig({ NODE_ENV: 'test', PUBLIC_URL: 'http://localhost:3000' }));
  });

  const acquire = (count: number, createAddress: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => limiter.acquireSlot(createAddress(n))).filter((limit) => limit !== null);

  it('are at most 20 of an address, IPv6 by /64', () => {
    expect(acquire(20, () => '192.0.2.1')).toEqual([]);
    expect(limiter.acquireSlot('192.0.2.1')).toBe('address');
    expect(acquire(20, (n) => `2001:db8::${n + 1}`)).toEqual([]);
    expect(limiter.acquireSlot('2001:db8::ffff')).toBe('address');
    limiter.releaseSlot('192.0.2.1');
    expect(limiter.acquireSlot('192.0.2.1')).toBeNull();
  });

  it('are at most 1,000 of an instance', () => {
    expect(acquire(1_000, (n) => `198.51.${n >> 8}.${n & 255}`)).toEqual([]);
    expect(limiter.acquireSlot('192.0.2.1')).toBe('instance');
    limiter.releaseSlot('198.51.0.0');
    expect(limiter.acquireSlot('192.0.2.1')).toBeNull();
    expect(limiter.size).toBe(1_000);
  });
});
