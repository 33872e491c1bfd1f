import { Subject } from 'rxjs';
import type { OrphanedCall } from '../relay-cluster';
import type { IncomingCall } from './incoming-call';
import { OriginHeartbeat } from './origin-heartbeat';
import type { RedisConnection } from './redis-connection';

const ORIGIN = 'ins_origin';
const HEARTBEAT_INTERVAL_MS = 500;

describe('OriginHeartbeat', () => {
  let subscribers: number;
  let heartbeat: OriginHeartbeat;
  let runningCalls: Map<string, IncomingCall>;
  let cancelled: [callId: string, reason: string][];
  let orphanedIds: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    subscribers = 0;
    cancelled = [];
    orphanedIds = [];
    runningCalls = new Map();
    const orphanedCalls = new Subject<OrphanedCall>();
    orphanedCalls.subscribe(({ request }) => orphanedIds.push(request.requestId));
    const redisConnection = { publishEnvelope: () => Promise.resolve(subscribers) } as unknown as RedisConnection;
    heartbeat = new OriginHeartbeat(redisConnection, runningCalls, orphanedCalls);
    heartbeat.start();
  });
  afterEach(() => {
    heartbeat.stop();
    jest.useRealTimers();
  });

  const addCall = (callId: string, keyed: boolean) => {
    const connection = { cancelCall: (id: string, reason: string) => cancelled.push([id, reason]) };
    const head = { callId, origin: ORIGIN, accountId: 'acc_1', deviceId: 'dev_1', audit: { keyed } };
    const call = { head, request: { requestId: callId }, connection, startedAt: performance.now(), isOrphaned: false };
    runningCalls.set(callId, call as unknown as IncomingCall);
  };
  const passIntervals = (count: number) => jest.advanceTimersByTimeAsync(count * HEARTBEAT_INTERVAL_MS);

  it('cancels the calls of an origin that misses six heartbeats in a row, once', async () => {
    addCall('req_1', false);
    await passIntervals(5);
    expect(cancelled).toEqual([]);
    await passIntervals(1);
    expect(cancelled).toEqual([['req_1', 'origin_gone']]);
    await passIntervals(6);
    expect(cancelled).toHaveLength(1);
    expect(orphanedIds).toEqual(['req_1']);
  });

  it('lets a call with an Idempotency-Key continue', async () => {
    addCall('req_keyed', true);
    addCall('req_1', false);
    await passIntervals(20);
    expect(cancelled).toEqual([['req_1', 'origin_gone']]);
    expect(orphanedIds).toEqual(['req_1']);
  });

  it('keeps the calls of an origin that subscribes again in time', async () => {
    addCall('req_1', false);
    await passIntervals(5);
    subscribers = 1;
    await passIntervals(1);
    subscribers = 0;
    await passIntervals(5);
    expect(cancelled).toEqual([]);
  });
});
