import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/dependencies';
import { DeviceSession } from '../support/device/device-session';
import { expectStatus } from '../support/device/foreign-device';
import { fetchAllIds } from '../support/list-pages';
import { SentinelRedis } from '../support/sentinel-redis';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { waitFor } from '../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { expectNoLeaks } from './support/leaks';
import { ReconnectingStream } from './support/reconnecting-stream';
import { TcpProxy } from './support/tcp-proxy';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';
import { WriteLoadGenerator } from './support/write-load-generator';

/**
 * How the machine of PostgreSQL's primary is lost, and the time until the replica is promoted. After more than ten
 * seconds, the heartbeats of all instances are old. Sentinel promotes the replica of Redis after a second.
 */
const LOSSES = [
  { loss: 'with its connections closed', isSilent: false, awayMs: 3_000 },
  { loss: 'silently', isSilent: true, awayMs: 12_000 },
];
/** How many writes of each kind must have been acknowledged before the loss, and again after it. */
const ENOUGH = 30;

/** Responses that docs/protocol/external-api.md#errors and docs/protocol/relay.md#failure-table allow meanwhile. */
const DOCUMENTED = [
  '503 service_unavailable not_delivered',
  '503 service_unavailable unknown',
  '503 relay_unavailable not_delivered',
  '503 no_online_device not_delivered',
  '502 device_disconnected unknown',
  '409 idempotency_in_progress',
];

describeWith('pg_ctl')('PostgreSQL and Redis, whose primaries are lost at the same time', () => {
  describe.each(LOSSES)('$loss', ({ isSilent, awayMs }) => {
    let primary: TemporaryPostgres;
    let replica: TemporaryPostgres;
    /** Name that moves to the new primary. */
    let name: TcpProxy;
    let redis: SentinelRedis;
    let cluster: Cluster;
    let fixture: ClusterFixture;
    let receiver: WebhookReceiver;
    let webhookSecret: string;
    let load: WriteLoadGenerator;
    let session: DeviceSession;
    let machines: { id: string; device: { connectionCount: number } }[];
    let streams: { stream: ReconnectingStream; listed: Set<string>; path: string }[];
    let readToken: string;

    beforeAll(async () => {
      [primary, redis] = await Promise.all([TemporaryPostgres.createCluster(), SentinelRedis.start()]);
      replica = await primary.createSynchronousReplica();
      name = await TcpProxy.start(primary.port);
      const postgresUrl = primary.url.replace(`:${primary.port}`, `:${name.port}`);
      cluster = await Cluster.start({ instances: 2, postgresUrl, redis, env: LOOPBACK_WEBHOOKS_ENV });
      fixture = await ClusterFixture.start(cluster);
      receiver = await WebhookReceiver.start();
      load = new WriteLoadGenerator(cluster, fixture);
      ({ token: readToken } = await fixture.ada.createToken(['webhooks:manage', 'sessions:read']));
      session = await DeviceSession.createSession(fixture.ada);
      machines = [await fixture.createRoamingMachine(), await fixture.createRoamingMachine()];
      const webhook = { url: receiver.url, events: ['message.created'] };
      webhookSecret = expectStatus(
        await cluster.http.post('/external/v1/webhooks', readToken, webhook),
        201,
      ).signingSecret;
    }, 120_000);
    afterAll(async () => {
      await load?.stopWriters();
      await Promise.all(streams?.map(({ stream }) => stream.close()) ?? []);
      fixture?.close();
      await receiver?.stop();
      await cluster?.stop();
      await redis?.stop();
      await name?.cutConnections();
      await replica?.removeCluster();
      await primary?.removeCluster();
    });

    const listMessages = (id: string) =>
      fetchAllIds(cluster.http, readToken, `/external/v1/sessions/${id}/messages`, { limit: 100 });

    /** Opens a stream that lists the session's messages when its events have expired, as the guide says. */
    async function openStream(url: string, path: string) {
      const listed = new Set<string>();
      const onExpired = () =>
        waitFor(async () => {
          for (const id of await listMessages(session.id)) listed.add(id);
        }, 20_000);
      return { stream: await ReconnectingStream.open(url + path, readToken, { onExpired }), listed, path };
    }

    /** Appends to the session through the load balancer, and repeats each message until it is acknowledged. */
    async function appendMessages(isStopped: () => boolean): Promise<string[]> {
      const ids: string[] = [];
      while (!isStopped()) {
        const answer = await session.postMessages([session.encryptMessage(`m${ids.length}`)]).catch(() => null);
        if (answer && answer.status < 300) ids.push(answer.body.data[0].id);
        await sleep(50);
      }
      return ids;
    }

    const countSucceededCalls = () => load.relayCalls.filter(({ httpResponse }) => httpResponse.status === 200).length;

    async function waitForProgress(): Promise<void> {
      const before = Object.entries(load.written).map(([table, ids]) => ({ table, count: ids.size }));
      const callsBefore = countSucceededCalls();
      await waitFor(() => {
        for (const { table, count } of before) {
          expect(load.written[table as keyof typeof load.written].size).toBeGreaterThan(count + ENOUGH);
        }
        expect(countSucceededCalls()).toBeGreaterThan(callsBefore + ENOUGH);
      }, 60_000);
    }

    it('refuses calls with documented errors, and serves again by itself', async () => {
      const paths = ['/external/v1/events?types=message.created', `/external/v1/sessions/${session.id}/events`];
      streams = await Promise.all(cluster.instances.flatMap(({ url }) => paths.map((path) => openStream(url, path))));
      await load.startWriters(machines);
      const balanced = new TrafficGenerator(() => cluster.http.get('/external/v1/sessions', readToken), 2);
      let isStopped = false;
      const appending = appendMessages(() => isStopped);
      await waitForProgress();

      const lostAt = performance.now();
      const sinceLoss = () => `${((performance.now() - lostAt) / 1_000).toFixed(1)} s`;
      if (isSilent) name.discardTraffic();
      primary.killProcesses();
      await redis.killMaster();
      await sleep(awayMs);
      await replica.promote();
      name.redirectTraffic(replica.port);
      await name.restoreTraffic();
      const promotedAfter = sinceLoss();
      const headers = { 'X-Require-Redis': 'true' };
      await waitFor(async () => {
        for (const { http } of cluster.instances) {
          expectStatus(await http.get('/health/ready', undefined, { headers }), 200);
        }
      }, 30_000);
      const readyAfter = sinceLoss();
      await waitFor(async () => {
        for (const { http } of cluster.instances)
          for (const { id } of machines) expectStatus(await fixture.invokeMachine(id, {}, {}, http), 200);
      }, 30_000);
      process.stdout.write(
        `promoted after ${promotedAfter}, ready after ${readyAfter}, all relayed calls after ${sinceLoss()}\n`,
      );
      await waitForProgress();

      isStopped = true;
      const appended = await appending;
      await load.stopWriters();
      const calls = await balanced.stopCallers();
      process.stdout.write(`${JSON.stringify(load.refusals)} ${JSON.stringify(countStatuses(calls))}\n`);
      expect(Object.keys(load.refusals).filter((way) => !DOCUMENTED.includes(way))).toEqual([]);
      expect(load.refusals['503 service_unavailable unknown']).toBeGreaterThan(0);
      expect(Object.keys(countStatuses(calls)).filter((status) => !['200', '503'].includes(status))).toEqual([]);
      expect(cluster.instances.map(({ isRunning }) => isRunning)).toEqual([true, true]);
      expect(machines.map(({ device }) => device.connectionCount)).toEqual([1, 1]);
      expect(cluster.instances.flatMap(({ log }) => log.filter(({ msg }) => msg === 'unexpected error'))).toEqual([]);
      expect(await listMessages(session.id)).toEqual(expect.arrayContaining(appended));
    }, 120_000);

    it('keeps all acknowledged writes', async () => {
      const none = { messages: [], sessions: [], relay_calls: [] };
      await waitFor(async () => expect(await load.findLostIds()).toEqual(none), 60_000);
      expect(load.readCount).toBeGreaterThan(100);
    });

    it('runs no call twice, and none reported as not delivered', () => {
      expect(load.findIncorrectCalls()).toEqual([]);
      expect(fixture.executionRecorder.repeatedRequestIds).toEqual([]);
    });

    it('delivers the event of each message to the webhook, and of no other', async () => {
      const messages = await cluster.testDatabase.query<{ id: string }>('SELECT id FROM messages ORDER BY id');
      const stored = messages.map(({ id }) => id);
      const findDelivered = () =>
        [...new Set(receiver.received.map(({ payload }) => payload.data.id as string))].sort();
      await waitFor(() => expect(findDelivered()).toEqual(stored), 60_000);
      const webhookIds = new Map<string, string>();
      for (const received of receiver.received) {
        verifySignature(webhookSecret, received);
        const { id } = received.payload.data;
        const webhookId = received.headers['webhook-id']!;
        expect(webhookIds.get(id) ?? webhookId).toBe(webhookId);
        webhookIds.set(id, webhookId);
      }
    }, 90_000);

    it('expires the ids of event streams, which then send each event once', async () => {
      const own = (await listMessages(session.id)).sort();
      for (const { stream, listed, path } of streams) {
        const findStreamed = () =>
          stream.events
            .filter(({ data }) => data.data.sessionId === session.id)
            .map(({ data }) => data.data.id as string);
        await waitFor(() => expect([...new Set([...findStreamed(), ...listed])].sort()).toEqual(own), 30_000);
        expect({ path, refusals: [...stream.refusals].filter((status) => status !== 503) }).toEqual({
          path,
          refusals: [410],
        });
        const streamed = findStreamed();
        expect(new Set(streamed).size).toBe(streamed.length);
      }
    });

    it('leaves nothing behind', async () => {
      fixture.close();
      await expectNoLeaks(cluster, undefined, 10_000);
    });
  });
});
