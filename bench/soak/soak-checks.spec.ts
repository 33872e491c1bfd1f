import type { SoakSecond, SoakRun } from './run-soak';
import { checkSoakRun } from './soak-checks';

const MIB = 2 ** 20;
const DEVICES = 100;
const PROCESS = { ran: 500, waited: 20, longestWait: 10 };
const SYSTEM = { service: PROCESS, redis: PROCESS, postgres: PROCESS, waits: {}, redisMs: 1 };

/** Creates an uneventful run of ten minutes. `change` overrides members of each second. */
function run(change: (at: number) => Partial<SoakSecond> = () => ({}), of: Partial<SoakRun> = {}): SoakRun {
  const seconds = Array.from({ length: 600 }, (_, i): SoakSecond => {
    const at = i + 1;
    return {
      at,
      answered: 500,
      all: { count: 500, p50: 5, p99: 20, max: 40 },
      kinds: {},
      errors: {},
      inFlight: 3,
      sentLateMs: 1,
      service: service(at),
      system: SYSTEM,
      deliveries: null,
      workUs: 5_000,
      ...change(at),
    };
  });
  const webhooks = { expected: 10, delivered: 10, waiting: 0, failed: 0 };
  const turns = { completed: 3, failures: [], delays: null };
  return {
    ramp: [],
    climb: [],
    peak: 600,
    rate: 500,
    seconds,
    lastErrors: {},
    webhooks,
    streamedEvents: 10,
    turns,
    ...of,
  };
}

/** Creates metrics of a service whose heap is collected every ten seconds. */
function service(at: number, rssBytes = 300 * MIB, heldBytes = 80 * MIB): SoakSecond['service'] {
  return {
    rssBytes: rssBytes + (at % 10) * MIB,
    heapUsedBytes: 100 * MIB,
    heldBytes,
    collections: Math.floor(at / 10),
    eventLoopLagP99Ms: 11,
    eventLoopLagMaxMs: 12,
    gcMs: 5,
    connectedDevices: DEVICES,
    cpuUs: at * 1e6,
  };
}

const missed = (soak: SoakRun) =>
  checkSoakRun(soak, DEVICES)
    .filter(({ met }) => !met)
    .map(({ what }) => what);

describe('checkSoakRun', () => {
  it('passes an uneventful run', () => {
    expect(missed(run())).toEqual([]);
  });

  it('accepts only documented errors', () => {
    const once = (code: string) => run((at) => (at === 9 ? { errors: { [code]: 1 } } : {}));
    expect(missed(once('device_busy'))).toEqual([]);
    for (const code of ['internal_error', 'no response: ECONNRESET', 'status 502 without a code']) {
      expect(missed(once(code))).toEqual(['errors']);
    }
    expect(missed(run(undefined, { lastErrors: { 'no response: ECONNRESET': 1 } }))).toEqual(['errors']);
  });

  it('fails when resident and retained memory grow by three MiB per minute', () => {
    const grown = (at: number) => (at * 3 * MIB) / 60;
    const leaking = run((at) => ({ service: service(at, 300 * MIB + grown(at), 80 * MIB + grown(at)) }));
    expect(missed(leaking)).toEqual(['resident set, second half', 'memory after full collections, second half']);
  });

  it('ignores memory growth during the warm-up', () => {
    const warming = run((at) => ({ service: service(at, Math.min(300, at * 2) * MIB) }));
    expect(missed(warming)).toEqual([]);
  });

  it('fails when latency doubles, but not for one slow second', () => {
    const slow = { count: 500, p50: 5, p99: 40, max: 90 };
    expect(missed(run((at) => (at > 400 ? { all: slow } : {})))).toEqual(['p99, last third and first third']);
    expect(missed(run((at) => (at === 500 ? { all: { ...slow, p99: 9_000 } } : {})))).toEqual([]);
  });

  it('fails for a disconnected device and for an undelivered event', () => {
    const away = run((at) => (at === 77 ? { service: { ...service(at), connectedDevices: 99 } } : {}));
    expect(missed(away)).toEqual(['devices connected throughout']);
    const lost = run(undefined, { webhooks: { expected: 10, delivered: 9, waiting: 0, failed: 0 } });
    expect(missed(lost)).toEqual(['events delivered']);
  });

  it('fails for an event that a stream lost or got twice', () => {
    for (const streamedEvents of [9, 11])
      expect(missed(run(undefined, { streamedEvents }))).toEqual(['events at streams']);
  });

  it('fails without a turn of an agent, and for one that failed', () => {
    for (const turns of [
      { completed: 0, failures: [], delays: null },
      { completed: 9, failures: ['a turn is lost'], delays: null },
    ])
      expect(missed(run(undefined, { turns }))).toEqual(['turns of agents']);
  });
});
