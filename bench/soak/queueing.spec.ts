import { summarizeWaits } from './database-sampler';
import { findQueueingEpisodes, findWorstDatabaseWait } from './queueing';
import type { SoakSecond } from './run-soak';

const IDLE = { ran: 100, waited: 0, longestWait: 0 };

interface SecondOptions {
  p99?: number;
  serviceWait?: number;
  gcMs?: number;
  waits?: SoakSecond['system']['waits'];
  sentLateMs?: number;
}

function createSecond(
  at: number,
  { p99 = 10, serviceWait = 20, gcMs = 5, waits = {}, sentLateMs = 1 }: SecondOptions = {},
) {
  return {
    at,
    sentLateMs,
    all: { count: 1, p50: 1, p99, max: p99 },
    service: { gcMs, eventLoopLagMaxMs: 5 },
    system: {
      service: { ...IDLE, longestWait: serviceWait },
      redis: IDLE,
      postgres: IDLE,
      redisMs: 1,
      waits,
    },
  } as SoakSecond;
}

describe('findQueueingEpisodes', () => {
  it('names the delay that exceeds its usual value by most', () => {
    const seconds = [
      createSecond(1),
      createSecond(2),
      createSecond(3, { p99: 300, serviceWait: 420, gcMs: 90 }),
      createSecond(4),
    ];
    expect(findQueueingEpisodes(seconds)).toEqual([
      { at: 3, seconds: 1, p99: 300, cause: { name: 'service waited for a core', ms: 400 } },
    ]);
  });

  it('takes the cause from the second before, and leaves out that of the queue', () => {
    const seconds = [
      createSecond(1),
      createSecond(2, { gcMs: 205 }),
      createSecond(3, { p99: 400 }),
      createSecond(4, { p99: 900, serviceWait: 800 }),
      createSecond(5),
      createSecond(6),
    ];
    expect(findQueueingEpisodes(seconds)).toEqual([
      { at: 3, seconds: 2, p99: 900, cause: { name: 'garbage collection', ms: 200 } },
    ]);
  });

  it('looks as far back as the late calls were scheduled', () => {
    const seconds = [
      createSecond(1),
      createSecond(2, { sentLateMs: 2_001 }),
      createSecond(3),
      createSecond(4, { p99: 2_100, serviceWait: 500 }),
    ];
    expect(findQueueingEpisodes(seconds)).toMatchObject([{ at: 4, cause: { name: 'callers sent late', ms: 2_000 } }]);
  });

  it('names no cause if no delay was unusual', () => {
    expect(findQueueingEpisodes([createSecond(1), createSecond(2, { p99: 900, serviceWait: 60 })])).toMatchObject([
      { at: 2, cause: null },
    ]);
  });
});

describe('findWorstDatabaseWait', () => {
  it('ignores connections that wait for the service', () => {
    const waits = summarizeWaits([
      ['Client:ClientRead', 'LWLock:WALWrite', 'LWLock:WALWrite'],
      ['Client:ClientRead', 'running'],
    ]);
    expect(waits['LWLock:WALWrite']).toEqual({ connections: 1, share: 0.5 });
    expect(findWorstDatabaseWait(createSecond(1, { waits }))).toEqual({ name: 'LWLock:WALWrite', ms: 500 });
  });
});
