import { setTimeout as sleep } from 'node:timers/promises';
import { generateId } from '../../src/common/ids';
import { DeviceSocket, echoRequest } from '../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../support/device/foreign-device';
import { expectProblem } from '../support/problems';
import { QueuedSession } from '../support/queued-session';
import { waitFor } from '../support/wait-for';
import { Cluster, FAST_SHUTDOWN } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';

const MAX_QUEUED_PER_SESSION = 100;
const MAX_QUEUED_PER_ACCOUNT = 1_000;
/** A dead instance is noticed after 10 s, and its attempts are checked every 10 s. */
const RECOVERY_TIMEOUT_MS = 60_000;

describe('queued messages on several instances', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;

  beforeAll(async () => {
    cluster = await Cluster.start({ redis: 'proxied', isDatabaseProxied: true, env: FAST_SHUTDOWN });
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
    await cluster.waitUntilBalanced();
    fixture = await ClusterFixture.start(cluster);
  });
  afterEach(() => fixture.close());
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.getInstance(index % 3).http;
  const createSession = async (host: ForeignDevice) =>
    new QueuedSession(cluster.http, fixture.token, (await fixture.ada.createSession(host)).id);
  const connect = (device: ForeignDevice, index: number): Promise<DeviceSocket> =>
    fixture.connectDevice(device, cluster.getInstance(index));
  const getContents = (socket: DeviceSocket) => socket.requests.map(({ params }) => params.content);

  it('are delivered once each, in the order of their session, while all instances look for them', async () => {
    const queues = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const device = await fixture.ada.pairDevice('machine');
        return { device, session: await createSession(device) };
      }),
    );
    // All instances queue for one session at once, and then for the next one.
    for (const { session } of queues) {
      for (const round of [0, 1, 2])
        await Promise.all([0, 1, 2].map((n) => session.via({ http: via(n) }).queueMessage(`m${3 * round + n}`)));
    }
    const sockets = await Promise.all(queues.map(({ device }, n) => connect(device, n % 3)));
    for (const [n, { session }] of queues.entries()) {
      const records = await waitFor(async () => {
        const found = await session.list();
        expect(found.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'delivered'));
        return found;
      }, 60_000);
      expect(sockets[n]!.requests.map(({ requestId }) => requestId)).toEqual(records.map((each) => each.requestId));
      expect(getContents(sockets[n]!).toSorted()).toEqual(Array.from({ length: 9 }, (_, m) => `m${m}`));
    }
  });

  it('are delivered although the database is away when their outcome is known', async () => {
    const device = await fixture.ada.pairDevice('machine');
    const session = await createSession(device);
    const socket = await connect(device, 1);
    const links = cluster.instances.map(({ databaseLink }) => databaseLink!);
    let confirmQueued!: () => void;
    const queued = new Promise<void>((resolve) => (confirmQueued = resolve));
    let restored: Promise<unknown> | undefined;
    socket.setHandler(async (request) => {
      await queued;
      await Promise.all(links.map((link) => link.cutConnections()));
      restored = sleep(1_500).then(() => Promise.all(links.map((link) => link.restoreTraffic())));
      return echoRequest(request);
    });
    const id = await session.queueMessage('m');
    confirmQueued();
    const record = await session.waitForState(id, 'delivered');
    await restored;
    expect(record).toMatchObject({ attempts: 1 });
    expect(getContents(socket)).toEqual(['m']);
  });

  it.each([
    { name: 'per session', limit: MAX_QUEUED_PER_SESSION, isSame: true },
    { name: 'per account', limit: MAX_QUEUED_PER_ACCOUNT, isSame: false },
  ])('are limited exactly $name', async ({ limit, isSame }) => {
    const device = await fixture.ada.pairDevice('machine');
    const session = await createSession(device);
    const filled = isSame ? session : await createSession(device);
    await cluster.testDatabase.query(
      `INSERT INTO queued_messages (id, account_id, session_id, position, size_bytes, expires_at, due_at, created_at)
       SELECT $3 || i, $1, $2, i, 0, now() + interval '1 day', now() + interval '1 day', now()
         FROM generate_series(1, $4::integer) i`,
      [fixture.ada.accountId, filled.id, generateId('qmsg'), limit - 7],
    );
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, n) => session.via({ http: via(n) }).postMessage(`m${n}`)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(7);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expect(expectProblem(answer, 403, 'plan_limit_exceeded').limit).toBe(limit);
    }
  });

  it('are either cancelled or delivered when instances cancel and send at the same time', async () => {
    const device = await fixture.ada.pairDevice('machine');
    const session = await createSession(device);
    const socket = await connect(device, 0);
    for (let round = 0; round < 15; round++) {
      const text = `m${round}`;
      const id = await session.via({ http: via(round) }).queueMessage(text);
      const answers = await Promise.all([1, 2].map((n) => session.via({ http: via(round + n) }).cancelMessage(id)));
      const isCancelled = answers.some(({ status }) => status === 204);
      // A repeated cancellation changes nothing, so that the answers agree unless one came before the other.
      await session.waitForState(id, isCancelled ? 'cancelled' : 'delivered');
      expect(getContents(socket).includes(text)).toBe(!isCancelled);
    }
  });

  it('are unknown and not sent again if their instance is killed before it publishes them', async () => {
    const device = await fixture.ada.pairDevice('machine');
    const session = await createSession(device);
    const socket = await connect(device, 1);
    const marked = await killWhileSending(session);
    const behind = await session.via({ http: via(1) }).queueMessage('behind');
    const record = await waitFor(async () => {
      const found = await session.via({ http: via(1) }).getMessage(marked.id);
      expect(found).toMatchObject({ state: 'unknown' });
      return found;
    }, RECOVERY_TIMEOUT_MS);
    expect(record).toMatchObject({ attempts: 1, errorCode: null, version: 3 });
    await waitFor(
      async () => expect(await session.via({ http: via(1) }).getMessage(behind)).toMatchObject({ state: 'delivered' }),
      RECOVERY_TIMEOUT_MS,
    );
    expect(getContents(socket)).not.toContain(marked.text);
    // The instance that found it writes the row within a second.
    await waitFor(async () => {
      const audit = await via(1).get(`/v1/relay-calls/${record.requestId}`, fixture.ada.token);
      expect(expectStatus(audit, 200).data).toMatchObject({ outcome: 'unknown', sessionId: session.id });
    }, 30_000);
  });

  /**
   * Queues a message through instance 0, whose data to Redis is lost, and kills the instance when it has marked the
   * message. Tries again if another instance was faster, or this one had given up.
   */
  async function killWhileSending(session: QueuedSession): Promise<{ id: string; text: string }> {
    const instance = cluster.getInstance(0);
    for (let n = 0; n < 10; n++) {
      const others = await readInstanceIds();
      await instance.restartProcess();
      const [ownId] = (await readInstanceIds()).filter((id) => !others.includes(id));
      instance.redisLink!.discardTraffic();
      const text = `of a killed instance ${n}`;
      const id = await session.via({ http: instance.http }).queueMessage(text);
      await waitFor(async () => expect(await readAttempt(id)).toMatchObject({ attempts: 1 }), 30_000);
      await instance.killProcess();
      await instance.redisLink!.restoreTraffic();
      const { state, sender_instance: senderId } = await readAttempt(id);
      if (state === 'sending' && senderId === ownId) return { id, text };
    }
    throw new Error('Instance 0 has marked no message.');
  }

  const readInstanceIds = async () =>
    (await cluster.testDatabase.query<{ id: string }>('SELECT id FROM instances')).map(({ id }) => id);

  async function readAttempt(id: string) {
    const [row] = await cluster.testDatabase.query<{ state: string; attempts: number; sender_instance: string | null }>(
      'SELECT state, attempts, sender_instance FROM queued_messages WHERE id = $1',
      [id],
    );
    return row!;
  }
});
