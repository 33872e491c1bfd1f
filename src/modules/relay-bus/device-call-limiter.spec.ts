import { DeviceCallLimiter } from './device-call-limiter';

const LIMIT = 16;
const STOP_LIMIT = 4;

describe('DeviceCallLimiter', () => {
  const acquire = (limiter: DeviceCallLimiter, count: number, deviceId = 'dev_1') =>
    Array.from({ length: count }, () => limiter.acquireSlot(deviceId, 'machine.invoke')).filter(Boolean).length;
  const acquireStops = (limiter: DeviceCallLimiter, count: number) =>
    Array.from({ length: count }, () => limiter.acquireSlot('dev_1', 'session.cancel')).filter(Boolean).length;

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
    limiter.releaseSlot('dev_1', 'machine.invoke');
    expect(acquire(limiter, 2)).toBe(1);
  });

  it('counts each device by itself', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, LIMIT);
    expect(acquire(limiter, LIMIT, 'dev_2')).toBe(LIMIT);
    expect(limiter.totalCalls).toBe(2 * LIMIT);
  });

  it.each(['machine.invoke', 'session.message', 'session.start', 'session.end'] as const)(
    'lets %s wait for a slot of the calls',
    (method) => {
      const limiter = new DeviceCallLimiter();
      acquire(limiter, LIMIT);
      expect(limiter.acquireSlot('dev_1', method)).toBe(false);
    },
  );

  it.each(['session.cancel', 'session.permission', 'invocation.cancel'] as const)(
    'has four slots for %s beside those of calls',
    (method) => {
      const limiter = new DeviceCallLimiter();
      acquire(limiter, LIMIT);
      expect(acquireStops(limiter, STOP_LIMIT - 1)).toBe(STOP_LIMIT - 1);
      expect(limiter.acquireSlot('dev_1', method)).toBe(true);
      expect(limiter.acquireSlot('dev_1', method)).toBe(false);
      expect(limiter.totalCalls).toBe(LIMIT + STOP_LIMIT);
    },
  );

  it('gives the slot of a stop to a stop only, and that of a call to a call only', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, LIMIT);
    acquireStops(limiter, STOP_LIMIT);
    limiter.releaseSlot('dev_1', 'session.cancel');
    expect(acquire(limiter, 1)).toBe(0);
    expect(acquireStops(limiter, 2)).toBe(1);
    limiter.releaseSlot('dev_1', 'machine.invoke');
    expect(acquireStops(limiter, 1)).toBe(0);
    expect(acquire(limiter, 2)).toBe(1);
  });

  it('has all slots again when all calls have ended', () => {
    const limiter = new DeviceCallLimiter();
    acquire(limiter, 3);
    for (let i = 0; i < 3; i++) limiter.releaseSlot('dev_1', 'machine.invoke');
    expect(limiter.totalCalls).toBe(0);
    expect(acquire(limiter, LIMIT)).toBe(LIMIT);
  });
});
