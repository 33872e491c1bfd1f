import { DeviceCallLimiter } from './device-call-limiter';

const LIMIT = 16;

describe('DeviceCallLimiter', () => {
  const acquire = (limiter: DeviceCallLimiter, count: number, deviceId = 'dev_1') =>
    Array.from({ length: count }, () => limiter.acquireSlot(deviceId)).filter(Boolean).length;

  it.each([LIMIT - 1, LIMIT])('lets a device have %i calls in flight', (count) => {
    expect(acquire(new DeviceCallLimiter(), count)).toBe(count);
  });

  it('refuses the seventeenth call of a device, and counts it nowhere', () => {
    const limiter = new DeviceCallLimiter();
    expect(acquire(limiter, LIMIT + 1)).toBe(LIMIT);
    expect(limiter.totalCalls).toBe(LIMIT);
  });

  it('has one more slot for each call that ends', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, LIMIT);
    limiter.releaseSlot('dev_1');
    expect(acquire(limiter, 2)).toBe(1);
  });

  it('counts each device by itself', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, LIMIT);
    expect(acquire(limiter, LIMIT, 'dev_2')).toBe(LIMIT);
    expect(limiter.totalCalls).toBe(2 * LIMIT);
  });

  it('has all slots again when all calls have ended', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, 3);
    for (let i = 0; i < 3; i++) limiter.releaseSlot('dev_1');
    expect(limiter.totalCalls).toBe(0);
    expect(acquire(limiter, LIMIT)).toBe(LIMIT);
  });
});
