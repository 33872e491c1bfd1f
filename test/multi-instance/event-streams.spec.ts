import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceSession } from '../support/device/device-session';
import { EventStreamClient } from '../support/event-stream-client';
import { scaled } from '../support/scale';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';

const EVENTS = '/external/v1/events';
const EVENT_COUNT = scaled(10_000);
const BATCH_SIZE = 25;
const RECONNECT_INTERVAL_MS = 50;
const STREAM_COUNT = scaled(2_000);
/** Within which a draining instance ends its streams, however long the clients then take to reconnect. */
const HAND_OVER_MS = 15_000;

describe('event streams on several instances', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let token: string;
  let clients: EventStreamClient[];

  beforeAll(async () => {
    const limit = '5000';
    const env = {
      EVENT_STREAMS_PER_TOKEN: limit,
      EVENT_STREAMS_PER_ACCOUNT: limit,
      EVENT_STREAMS_PER_INSTANCE: limit,
    };
    cluster = await Cluster.start({ redis: 'proxied', env });
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
    await cluster.waitUntilBalanced();
    fixture = await ClusterFixture.start(cluster);
    ({ token } = await fixture.ada.createToken(['sessions:read']));
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    fixture.close();
  });
  afterAll(() => cluster?.stop());

  const open = async (url = cluster.balancer.url, lastEventId?: string) => {
    const client = await EventStreamClient.open(url + EVENTS, token, { lastEventId });
    clients.push(client);
    return client;
  };
  /**
   * Opens the next stream as a client does: repeats after 503, which the balancer gets from the draining instance while
   * no instance passes its check of readiness, or from one whose connections to the database don't suffice for all.
   */
  const reopen = async (lastEventId: string, delayMs = 1_000): Promise<EventStreamClient> => {
    await sleep(delayMs);
    const client = await open(undefined, lastEventId);
    if (client.response.status !== 503) {
      expect(client.response.status).toBe(200);
      return client;
    }
    const retryAfter = client.response.headers.get('Retry-After');
    expect(['1', '5']).toContain(retryAfter);
    return reopen(lastEventId, Number(retryAfter) * 1_000);
  };
  /** Appends messages to several sessions at once, through all instances. Returns how many there are. */
  const appendMessages = async (count: number, sessions: DeviceSession[]): Promise<number> => {
    const batches = Math.ceil(count / BATCH_SIZE / sessions.length);
    await Promise.all(
      sessions.map(async (session) => {
        for (let batch = 0; batch < batches; batch++) {
          await session.appendMessages(...Array.from({ length: BATCH_SIZE }, (_, n) => `${batch}-${n}`));
        }
      }),
    );
    return batches * BATCH_SIZE * sessions.length;
  };

  it(`send each of ${EVENT_COUNT} events once to a client that reconnects every 50 ms`, async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => DeviceSession.createSession(fixture.ada)));
    // Another stream at other places, read by the same statements.
    let { lastEventId } = await open();
    const appending = appendMessages(EVENT_COUNT, sessions);
    let expected = Infinity;
    const setExpected = (count: number) => (expected = count);
    appending.then(setExpected, () => setExpected(0));
    const received: { id: string; sessionId: string; seq: number }[] = [];
    const deadline = performance.now() + 300_000;
    let connections = 0;
    while (received.length < expected && performance.now() < deadline) {
      const client = await open(undefined, lastEventId);
      connections += 1;
      await sleep(RECONNECT_INTERVAL_MS);
      await client.close();
      clients.pop();
      expect(client.response.status).toBe(200);
      received.push(
        ...client.events.map(({ data: { id, data } }) => ({ id, sessionId: data.sessionId, seq: data.seq })),
      );
      ({ lastEventId } = client);
    }
    expect(received).toHaveLength(await appending);
    expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
    for (const { id } of sessions) {
      const seqs = received.filter(({ sessionId }) => sessionId === id).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, n) => n + 1));
    }
    expect(connections).toBeGreaterThan(3);
  }, 330_000);

  it('resume on another instance when theirs is killed', async () => {
    const session = await DeviceSession.createSession(fixture.ada);
    const stream = await open(cluster.getInstance(1).url);
    await session.appendMessages('a', 'b');
    await stream.waitForEvents(2);
    await cluster.getInstance(1).killProcess();
    await stream.ended;
    await session.appendMessages('c');
    const resumed = await open(cluster.getInstance(2).url, stream.lastEventId);
    await resumed.waitForEvents(1);
    await session.appendMessages('d');
    await resumed.waitForEvents(2);
    expect([...stream.events, ...resumed.events].map(({ data }) => data.data.seq)).toEqual([1, 2, 3, 4]);
  });

  it('send events although the instance gets no signals', async () => {
    const session = await DeviceSession.createSession(fixture.ada);
    const stream = await open(cluster.getInstance(1).url);
    cluster.getInstance(1).redisLink!.blockTraffic();
    try {
      await session.appendMessages('a', 'b');
      await stream.waitForEvents(2);
    } finally {
      await cluster.getInstance(1).redisLink!.restoreTraffic();
    }
  });

  it(`continue elsewhere when ${STREAM_COUNT} of them lose a draining instance, and miss nothing`, async () => {
    const session = await DeviceSession.createSession(fixture.ada);
    const { url } = cluster.getInstance(0);
    for (let opened = 0; opened < STREAM_COUNT; opened += 50) {
      await Promise.all(Array.from({ length: Math.min(50, STREAM_COUNT - opened) }, () => open(url)));
    }
    await waitFor(
      async () => expect(await cluster.getInstance(0).sumMetric('event_streams')).toBe(STREAM_COUNT),
      // The load balancer may notice with the next comment that an earlier client has gone.
      50_000,
    );
    const streams = [...clients];
    const startedAt = performance.now();
    const exit = cluster.getInstance(0).stopGracefully();
    const handedOver = streams.map(async (stream) => {
      await stream.ended;
      expect(performance.now() - startedAt).toBeLessThan(HAND_OVER_MS);
      expect(stream.retryMs).toBe(1_000);
      const next = await reopen(stream.lastEventId);
      return { events: [stream, next], ms: performance.now() - startedAt };
    });
    await session.appendMessages('a');
    await sleep(7_000);
    await session.appendMessages('b');
    const results = await Promise.all(handedOver);
    await session.appendMessages('c');
    for (const { events } of results) {
      await waitFor(() => {
        const seqs = events.flatMap((stream) => stream.events.map(({ data }) => data.data.seq));
        expect(seqs).toEqual([1, 2, 3]);
      }, 20_000);
    }
    // Not all at once, which would burden the other instances.
    const endings = results.map(({ ms }) => Math.floor(ms / 1_000));
    expect(new Set(endings).size).toBeGreaterThan(5);
    expect((await exit).code).toBe(0);
  }, 120_000);
});
