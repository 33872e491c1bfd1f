import type { DeviceAnswer } from '../device-answer';
import type { DeviceConnection } from '../device-connection';
import { LocalConnectionRegistry } from '../local-connection-registry';
import type { BusMetrics } from './bus-metrics';
import type { ClusterMembership } from './cluster-membership';
import { ENVELOPE_VERSION, type EnvelopeStamp, type OutcomeHead, type RequestHead } from './envelope';
import { IncomingCallHandler } from './incoming-call-handler';
import { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import type { SharedPresenceStore } from './shared-presence-store';

const ANSWER: DeviceAnswer = { kind: 'result', result: {}, bytes: 2 };

describe('IncomingCallHandler', () => {
  let registry: LocalConnectionRegistry;
  let handler: IncomingCallHandler;
  let clock: RedisClock;
  let outcomes: OutcomeHead[];
  let publishOutcome: (outcome: OutcomeHead) => Promise<number>;
  let serial = 0;

  beforeEach(() => {
    registry = new LocalConnectionRegistry();
    outcomes = [];
    clock = new RedisClock();
    clock.recordSample(performance.now(), performance.now(), Date.now());
    publishOutcome = (outcome) => Promise.resolve(outcomes.push(outcome));
    const publishEnvelope = (_to: string, head: OutcomeHead) => publishOutcome(head);
    handler = new IncomingCallHandler(
      { publishEnvelope } as unknown as RedisConnection,
      clock,
      registry,
      { removeEntry: () => Promise.resolve() } as unknown as SharedPresenceStore,
      { duplicateAnswers: { inc: () => undefined }, expiredCalls: { inc: () => undefined } } as unknown as BusMetrics,
      { synchronizeClock: () => Promise.resolve() } as unknown as ClusterMembership,
    );
  });
  afterEach(() => jest.restoreAllMocks());

  /** Connects the device, as the gateway does: the connection that it replaces is retired. */
  function connectDevice(): DeviceConnection & { isCurrent: boolean; ran: string[] } {
    const ran: string[] = [];
    const connection = {
      device: { accountId: 'acc_1', deviceId: 'dev_1', deviceKind: 'machine' },
      epoch: ++serial,
      capabilities: ['machine.invoke'],
      isCurrent: true,
      presentSince: performance.now(),
      ran,
      sendRequest: ({ requestId }: { requestId: string }) => {
        ran.push(requestId);
        return Promise.resolve({ kind: 'answered', deviceId: 'dev_1', answer: ANSWER, routeMs: 0, deviceMs: 0 });
      },
    } as unknown as ReturnType<typeof connectDevice>;
    const replaced = registry.addConnection(connection) as ReturnType<typeof connectDevice> | undefined;
    if (replaced) replaced.isCurrent = false;
    return connection;
  }

  const signCall = (callId: string): RequestHead & EnvelopeStamp => ({
    type: 'request',
    version: ENVELOPE_VERSION,
    deviceId: 'dev_1',
    acceptBy: clock.now() + 2_000,
    answerBy: clock.now() + 5_000,
    attempt: 1,
    callId,
    origin: 'origin',
    accountId: 'acc_1',
    method: 'machine.invoke',
    audit: { tokenId: null, appId: null, requestBytes: 2, keyed: false, startedAt: 0 },
    epoch: serial,
    sentAt: clock.now(),
    sentAtErrorMs: 1,
  });

  async function receive(head: RequestHead & EnvelopeStamp): Promise<OutcomeHead> {
    const count = outcomes.length;
    handler.handleRequest(head, JSON.stringify({ requestId: head.callId, method: head.method, params: {} }));
    while (outcomes.length === count) await new Promise((resolve) => setTimeout(resolve, 1));
    return outcomes.at(-1)!;
  }

  const passTime = () => new Promise((resolve) => setTimeout(resolve, 20));

  it('runs a call on the connection that has replaced the one that it was signed for', async () => {
    connectDevice();
    await passTime();
    const head = signCall('req_1');
    await passTime();
    connectDevice();
    await passTime();
    const newest = connectDevice();
    expect(await receive(head)).toMatchObject({ kind: 'answered', callId: 'req_1' });
    expect(newest.ran).toEqual(['req_1']);
    // A copy of it doesn't run again, however often the device reconnects.
    const next = connectDevice();
    handler.handleRequest({ ...head, attempt: 2 }, '{}');
    await passTime();
    expect([next.ran, outcomes.length]).toEqual([[], 1]);
  });

  it('refuses a call that was signed while the device was connected elsewhere', async () => {
    const first = connectDevice();
    await passTime();
    const head = signCall('req_1');
    // Another instance has told that it has a newer connection.
    first.isCurrent = false;
    await passTime();
    const next = connectDevice();
    expect(await receive(head)).toMatchObject({ kind: 'refused', reason: 'gone' });
    expect(next.ran).toEqual([]);
  });

  it('refuses a call from before the device connected', async () => {
    const head = signCall('req_1');
    await passTime();
    const connection = connectDevice();
    expect(await receive({ ...head, epoch: connection.epoch })).toMatchObject({ kind: 'refused', reason: 'gone' });
    expect(connection.ran).toEqual([]);
  });

  it('gives an idempotent answer to an origin that is back later after an outage of Redis', async () => {
    const getTime = performance.now.bind(performance);
    let outageMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => getTime() + outageMs);
    const publications = [
      () => {
        outageMs = 2_500;
        return Promise.reject(new Error('Connection is closed.'));
      },
      // The origin has not subscribed again.
      () => Promise.resolve(0),
      () => Promise.resolve(0),
    ];
    publishOutcome = (outcome) => publications.shift()?.() ?? Promise.resolve(outcomes.push(outcome));
    connectDevice();
    await passTime();
    const head = signCall('req_1');
    const answer = await receive({ ...head, audit: { ...head.audit, keyed: true } });
    expect(answer).toMatchObject({ kind: 'answered', callId: 'req_1' });
    expect(publications).toEqual([]);
  });
});
