import { computeQuantiles, CallRecorder } from './call-recorder';

describe('computeQuantiles', () => {
  it('returns the median, the 99th percentile and the maximum', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(computeQuantiles(values)).toEqual({ count: 100, p50: 51, p99: 100, max: 100 });
  });

  it('returns null without calls', () => {
    expect(computeQuantiles([])).toBeNull();
  });
});

describe('CallRecorder', () => {
  it('returns each second once', () => {
    const callRecorder = new CallRecorder();
    callRecorder.recordAnswer('GET /me', 5);
    callRecorder.recordAnswer('GET /sessions', 7);
    callRecorder.recordFailure('timeout');
    callRecorder.recordFailure('timeout');
    callRecorder.recordSendDelay(3);
    expect(callRecorder.takeSecond(4)).toMatchObject({
      answered: 2,
      all: { count: 2, max: 7 },
      kinds: { 'GET /me': { p50: 5 } },
      errors: { timeout: 2 },
      inFlight: 4,
      sentLateMs: 3,
    });
    expect(callRecorder.takeSecond(0)).toEqual({
      answered: 0,
      all: null,
      kinds: {},
      errors: {},
      inFlight: 0,
      sentLateMs: 0,
    });
  });
});
