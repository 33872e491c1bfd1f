import { Clock } from '../../common/clock';
import { HeartbeatTolerance } from './heartbeat-tolerance';

class TestClock extends Clock {
  ms = 5_000;
  override monotonicMs(): number {
    return this.ms;
  }
}

describe('HeartbeatTolerance', () => {
  let clock: TestClock;
  let tolerance: HeartbeatTolerance;
  beforeEach(() => {
    clock = new TestClock();
    tolerance = new HeartbeatTolerance(clock);
  });

  /** Sends a heartbeat every two seconds. */
  function sendHeartbeats(forMs: number): void {
    for (let ms = 0; ms < forMs; ms += 2_000) {
      clock.ms += 2_000;
      tolerance.recordHeartbeat();
    }
  }

  it('is ten seconds while heartbeats are sent, except in the 20 seconds after the start', () => {
    expect(tolerance.getDeadAfterMs()).toBeGreaterThan(3_600_000);
    sendHeartbeats(18_000);
    expect(tolerance.getDeadAfterMs()).toBeGreaterThan(3_600_000);
    sendHeartbeats(2_000);
    expect(tolerance.getDeadAfterMs()).toBe(10_000);
    sendHeartbeats(60_000);
    expect(tolerance.getDeadAfterMs()).toBe(10_000);
  });

  it('includes an interruption, and the 20 seconds after it', () => {
    sendHeartbeats(60_000);
    clock.ms += 30_000;
    expect(tolerance.getDeadAfterMs()).toBe(40_000);
    tolerance.recordHeartbeat();
    expect(tolerance.getDeadAfterMs()).toBe(40_000);
    sendHeartbeats(18_000);
    expect(tolerance.getDeadAfterMs()).toBe(58_000);
    sendHeartbeats(2_000);
    expect(tolerance.getDeadAfterMs()).toBe(10_000);
  });

  it('includes an earlier interruption that ended shortly before', () => {
    sendHeartbeats(60_000);
    clock.ms += 30_000;
    sendHeartbeats(6_000);
    clock.ms += 10_000;
    tolerance.recordHeartbeat();
    expect(tolerance.getDeadAfterMs()).toBe(56_000);
    sendHeartbeats(20_000);
    expect(tolerance.getDeadAfterMs()).toBe(10_000);
  });

  it('does not include a single late heartbeat', () => {
    sendHeartbeats(60_000);
    clock.ms += 3_900;
    tolerance.recordHeartbeat();
    expect(tolerance.getDeadAfterMs()).toBe(10_000);
  });
});
