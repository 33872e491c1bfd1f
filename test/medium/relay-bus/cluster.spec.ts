import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateId } from '../../../src/common/ids';
import type { ClusterClient } from '../../../src/core/redis';
import type { RedisBus } from '../../../src/modules/relay-bus/redis/redis-bus';
import { describeWith } from '../../support/dependencies';
import type { DeviceSocket } from '../../support/device/device-socket';
import { RedisCluster } from '../../support/redis-cluster';
import { waitFor } from '../../support/wait-for';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';

const [HOLDER, CALLER] = ['holder', 'caller'];

/** The connections of a bus to the nodes, one of which it subscribes at. */
interface CallerConnection {
  commands: ClusterClient;
  subscriber: { connection: { stream: Socket } };
}

const buildChannel = (instance: string) => `relay:to:{${instance}}`;

describeWith('redis-server')('the bus on a Redis Cluster', () => {
  let cluster: RedisCluster;
  let holder: BusHarness;
  let caller: BusHarness;
  let accountId: string;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
    [holder, caller] = await Promise.all([
      BusHarness.startRedis(cluster.url, HOLDER),
      BusHarness.startRedis(cluster.url, CALLER),
    ]);
  }, 60_000);
  beforeEach(() => {
    accountId = generateId('acc');
  });
  afterEach(async () => {
    for (const node of cluster.nodes) node.resume();
    await cluster.startMissing();
    await waitFor(() => expect(caller.bus.pendingCallCount).toBe(0));
  }, 60_000);
  afterAll(async () => {
    await Promise.all([holder?.stop(), caller?.stop()]);
    await cluster?.remove();
  });

  const connectMachine = async (instance = holder) => {
    const identity = new FakeDeviceIdentity(accountId);
    const socket = await instance.connectDevice(identity);
    socket.setHandler(() => sleep(20, { ok: true, result: {} }));
    return { ...identity, socket };
  };
  const call = (deviceId: string) => caller.bus.sendCall(createTestRelayCall(caller.bus, accountId, deviceId));
  const waitUntilAnswered = (deviceId: string) =>
    waitFor(async () => expect(await call(deviceId)).toMatchObject({ kind: 'answered' }), 15_000);

  /** Sends calls, several at a time, until `act` has ended, and returns their ids by kind of result. */
  const callDuring = async (deviceId: string, act: () => Promise<unknown>) => {
    const ids: Record<'answered' | 'not_delivered' | 'unknown', string[]> = {
      answered: [],
      not_delivered: [],
      unknown: [],
    };
    let isRunning = true;
    const callers = Array.from({ length: 4 }, async () => {
      while (isRunning) {
        const relayCall = createTestRelayCall(caller.bus, accountId, deviceId);
        ids[(await caller.bus.sendCall(relayCall)).kind].push(relayCall.request.requestId);
        await sleep(5);
      }
    });
    try {
      await act();
    } finally {
      isRunning = false;
      await Promise.all(callers);
    }
    return ids;
  };
  const listReceived = (socket: DeviceSocket) => socket.requests.map(({ requestId }) => requestId as string);

  /** Freezes the master of a key until the test ends. It gets no successor. */
  const freezeMaster = async (key: string) => {
    const master = await cluster.findMaster(key);
    await (await cluster.findReplica(master)).kill();
    master.suspend();
    return master;
  };
  /** Chooses an account whose presence is on another master than the key. */
  const chooseAccountBeside = (key: string) =>
    waitFor(async () => {
      accountId = generateId('acc');
      const [master, other] = await Promise.all([
        cluster.findMaster(key),
        cluster.findMaster(`relay:presence:{${accountId}}`),
      ]);
      expect(other.port).not.toBe(master.port);
    });

  it('sends no calls while the master of its own channel is frozen, since their answers would be lost', async () => {
    await chooseAccountBeside(buildChannel(CALLER));
    const { deviceId, socket } = await connectMachine();
    await waitUntilAnswered(deviceId);
    const master = await freezeMaster(buildChannel(CALLER));
    const refusal = { kind: 'not_delivered', reason: 'relay_unavailable' };
    await waitFor(async () => expect(await call(deviceId)).toMatchObject(refusal), 15_000);
    const receivedCount = socket.requests.length;
    for (let n = 0; n < 20; n++) {
      expect(await call(deviceId)).toMatchObject(refusal);
      await sleep(200);
    }
    expect(socket.requests).toHaveLength(receivedCount);
    master.resume();
    await waitUntilAnswered(deviceId);
    socket.close();
  }, 60_000);

  it('picks the next candidate while the node of the first is frozen', async () => {
    await chooseAccountBeside(buildChannel(HOLDER));
    const candidates = [await connectMachine(), await connectMachine(caller)];
    const pick = () => {
      const relayCall = createTestRelayCall(caller.bus, accountId, '');
      return caller.bus.sendCall({ ...relayCall, candidates: candidates.map(({ deviceId }) => ({ deviceId })) });
    };
    const [first, second] = candidates.map(({ deviceId }) => ({ kind: 'answered', deviceId }));
    await waitFor(async () => expect(await pick()).toMatchObject(first!), 15_000);
    const master = await freezeMaster(buildChannel(HOLDER));
    expect(await pick()).toMatchObject(second!);
    master.resume();
    await waitFor(async () => expect(await pick()).toMatchObject(first!), 15_000);
    for (const { socket } of candidates) socket.close();
  }, 60_000);

  it('closes the old connection of a device although its instance could not be told at first', async () => {
    await chooseAccountBeside(buildChannel(HOLDER));
    const silent = await connectMachine();
    const { socket: oldSocket, ...identity } = await connectMachine();
    await waitUntilAnswered(identity.deviceId);
    const master = await freezeMaster(buildChannel(HOLDER));
    // After a timeout, the caller sends nothing to the node for a while.
    const calls = [call(silent.deviceId)];
    await waitFor(async () => {
      calls.push(call(silent.deviceId));
      expect(await Promise.race([calls.at(-1), sleep(50)])).toMatchObject({ kind: 'not_delivered' });
    });
    const socket = await caller.connectDevice(identity);
    master.resume();
    await oldSocket.disconnected;
    await Promise.all(calls);
    for (const each of [silent.socket, socket]) each.close();
  }, 60_000);

  it.each([
    ['the account', () => `relay:presence:{${accountId}}`],
    ['the owner', () => buildChannel(HOLDER)],
    ['the caller', () => buildChannel(CALLER)],
    ['the clock', () => 'relay:clock'],
  ])(
    'delivers all calls while the slot of %s moves to another node',
    async (_, buildKey) => {
      const { deviceId, socket } = await connectMachine();
      await waitUntilAnswered(deviceId);
      const ids = await callDuring(deviceId, async () => {
        for (let n = 0; n < 3; n++) {
          await cluster.moveSlot(buildKey(), () => sleep(100));
          await sleep(700);
        }
      });
      expect([ids.not_delivered, ids.unknown]).toEqual([[], []]);
      const received = listReceived(socket);
      expect(received.filter((id) => ids.answered.includes(id)).sort()).toEqual(ids.answered.sort());
      socket.close();
    },
    60_000,
  );

  it('receives an answer that was sent before its node learned that the slot has moved', async () => {
    const { deviceId, socket } = await connectMachine();
    await waitUntilAnswered(deviceId);
    const { commands, subscriber } = (caller.bus as RedisBus)['redisConnection'] as unknown as CallerConnection;
    const { stream } = subscriber.connection;
    stream.pause();
    const receivedCount = socket.requests.length;
    const answer = call(deviceId);
    await waitFor(() => expect(socket.requests).toHaveLength(receivedCount + 1));
    await sleep(100);
    const hearFromOtherNodes = async () => {
      const changed = once(commands, 'topologyChange');
      const isOver = changed.then(() => true);
      while (!(await Promise.race([isOver, commands.refreshSlots()])));
      stream.resume();
    };
    await cluster.moveSlot(buildChannel(CALLER), undefined, hearFromOtherNodes);
    expect(await answer).toMatchObject({ kind: 'answered' });
    await waitUntilAnswered(deviceId);
    socket.close();
  }, 60_000);

  it.each([
    ['the account', () => `relay:presence:{${accountId}}`],
    ['the owner', () => buildChannel(HOLDER)],
    ['the caller', () => buildChannel(CALLER)],
  ])(
    'runs each call once at most when the master of %s is killed in the middle',
    async (_, buildKey) => {
      const { deviceId, socket } = await connectMachine();
      await waitUntilAnswered(deviceId);
      const master = await cluster.findMaster(buildKey());
      const ids = await callDuring(deviceId, async () => {
        await sleep(200);
        await master.kill();
        await waitFor(async () => expect((await cluster.findMaster(buildKey())).port).not.toBe(master.port), 30_000);
        await waitUntilAnswered(deviceId);
      });
      const received = listReceived(socket);
      expect(new Set(received).size).toBe(received.length);
      expect(received).toEqual(expect.arrayContaining(ids.answered));
      expect(ids.answered.length).toBeGreaterThan(0);
      expect(received.filter((id) => ids.not_delivered.includes(id))).toEqual([]);
      socket.close();
    },
    90_000,
  );

  it.each([
    ['the account', () => `relay:presence:{${accountId}}`],
    ['the owner', () => buildChannel(HOLDER)],
    ['the caller', () => buildChannel(CALLER)],
  ])(
    'finds the successor at once when a replica takes over from the master of %s',
    async (_, buildKey) => {
      const { deviceId, socket } = await connectMachine();
      await waitUntilAnswered(deviceId);
      const ids = await callDuring(deviceId, async () => {
        await cluster.switchMaster(buildKey());
        await waitUntilAnswered(deviceId);
      });
      const received = listReceived(socket);
      expect(new Set(received).size).toBe(received.length);
      expect(received.filter((id) => ids.not_delivered.includes(id))).toEqual([]);
      expect(received).toEqual(expect.arrayContaining(ids.answered));
      socket.close();
    },
    60_000,
  );
});
