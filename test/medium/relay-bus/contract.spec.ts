import { setTimeout as sleep } from 'node:timers/promises';
import { generateId } from '../../../src/common/ids';
import type { RelayBus } from '../../../src/modules/relay-bus/relay-bus';
import type { RelayCall, CallOutcome } from '../../../src/modules/relay-bus/relay-call';
import { leaseRedis } from '../../support/backend';
import { describeWith } from '../../support/dependencies';
import { RedisCluster } from '../../support/redis-cluster';
import { NO_RESPONSE, type DeviceSocket } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { describeNotificationContract } from './notification-contract';
import { createTestRelayCall } from './test-relay-call';

/** The instance that devices connect to, and the instance that sends calls. */
interface BusPair {
  holder: BusHarness;
  caller: BusHarness;
  stop: () => Promise<void>;
}

const RESULT_OUTCOME = { kind: 'result', result: { done: true }, bytes: 13 };

/** Tests that apply to every bus (docs/protocol/relay.md#guarantee). */
function describeBusContract(start: () => Promise<BusPair>): void {
  let busPair: BusPair;
  let bus: RelayBus;
  let accountId: string;
  const openSockets: DeviceSocket[] = [];
  beforeAll(async () => {
    busPair = await start();
    bus = busPair.caller.bus;
  });
  beforeEach(() => {
    accountId = generateId('acc');
  });
  afterEach(async () => {
    // A test that fails must not fail the next ones.
    for (const socket of openSockets.splice(0)) socket.close();
    await waitFor(() => expect([bus.pendingCallCount, busPair.holder.bus.connectionCount]).toEqual([0, 0]));
  });
  afterAll(() => busPair?.stop());

  const createDoneAnswer = () => ({ ok: true, result: { done: true } });
  const connectDevice = async (...args: Parameters<BusHarness['connectDevice']>) => {
    const socket = await busPair.holder.connectDevice(...args);
    openSockets.push(socket);
    return socket;
  };
  const connectMachine = async (work: (request: any) => unknown = createDoneAnswer, capabilities?: string[]) => {
    const identity = new FakeDeviceIdentity(accountId);
    const socket = await connectDevice(identity, capabilities);
    socket.setHandler(work);
    return { ...identity, identity, socket };
  };
  const createCall = (deviceId: string, more?: Partial<RelayCall>) =>
    createTestRelayCall(bus, accountId, deviceId, more);
  const sendCall = (deviceId: string, more?: Partial<RelayCall>): Promise<CallOutcome> =>
    bus.sendCall(createCall(deviceId, more));

  /** Creates a call of a session's method that the origin gives up after two seconds. */
  const createSessionCall = (method: 'session.message' | 'session.cancel', deviceId: string, params: object) => {
    const call = createCall(deviceId, { capability: method, answerTimeoutMs: 2_000 });
    return { ...call, request: { ...call.request, method, params } as RelayCall['request'] };
  };

  it('delivers a call to its device once, and returns the answer', async () => {
    const { deviceId, socket } = await connectMachine();
    const sent = createCall(deviceId);
    expect(await bus.sendCall(sent)).toMatchObject({ kind: 'answered', deviceId, answer: RESULT_OUTCOME });
    expect(socket.requests).toEqual([{ ...sent.request, serverTime: expect.any(Number) }]);
  });

  it.each([
    ['an error', { ok: false, error: { code: 'command_not_found', message: 'no' } }, 'command_not_found'],
    ['nothing of the kind', 'hello', 'invalid_answer'],
    ['nothing', undefined, 'invalid_answer'],
  ])('validates an answer that is %s', async (_, raw, code) => {
    const { deviceId } = await connectMachine(() => raw);
    expect(await sendCall(deviceId)).toMatchObject({
      kind: 'answered',
      answer: { kind: 'error', error: { code } },
    });
  });

  it('returns not_delivered without sending anything when no device can serve the call', async () => {
    const { socket, deviceId } = await connectMachine(createDoneAnswer, ['session.message']);
    const notDelivered = { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
    expect(await sendCall('dev_absent')).toEqual(notDelivered);
    expect(await sendCall(deviceId)).toEqual(notDelivered);
    expect(await sendCall(deviceId, { accountId: generateId('acc'), capability: 'session.message' })).toEqual(
      notDelivered,
    );
    expect(socket.requests).toEqual([]);
  });

  it('chooses the first candidate that is online, else the account device that connected last', async () => {
    const first = await connectMachine();
    const second = await connectMachine();
    const phones = [new FakeDeviceIdentity(accountId, 'account'), new FakeDeviceIdentity(accountId, 'account')];
    const sockets = [];
    for (const phone of phones) sockets.push(await connectDevice(phone, ['session.message']));
    for (const socket of sockets) socket.setHandler(createDoneAnswer);
    const candidates = [
      { deviceId: 'dev_absent' },
      { deviceId: first.deviceId },
      { deviceId: second.deviceId },
      { newest: 'account' as const },
    ];
    const createMessageCall = () => createSessionCall('session.message', '', { content: 'hello', waitMs: 0 });
    const findServingDevice = async () => (await bus.sendCall({ ...createMessageCall(), candidates })).deviceId;
    expect(await findServingDevice()).toBe(first.deviceId);
    first.socket.close();
    await waitFor(async () => expect(await findServingDevice()).toBe(second.deviceId));
    second.socket.close();
    await waitFor(async () => expect(await findServingDevice()).toBe(phones[1]!.deviceId));
    sockets[1]!.close();
    await waitFor(async () => expect(await findServingDevice()).toBe(phones[0]!.deviceId));
  });

  it('prefers the newest connection of a device; the older one finishes and closes', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const old = await connectMachine(() => released.then(createDoneAnswer));
    const first = sendCall(old.deviceId);
    await waitFor(() => expect(old.socket.requests).toHaveLength(1));
    const newer = await connectDevice(old.identity);
    newer.setHandler(createDoneAnswer);
    expect(await sendCall(old.deviceId)).toMatchObject({ kind: 'answered' });
    expect([old.socket.requests.length, newer.requests.length]).toEqual([1, 1]);
    release();
    expect(await first).toMatchObject({ kind: 'answered' });
    await old.socket.disconnected;
  });

  it('returns an unknown outcome when the device disconnects', async () => {
    const { deviceId, socket } = await connectMachine(() => NO_RESPONSE);
    const result = sendCall(deviceId);
    await waitFor(() => expect(socket.requests).toHaveLength(1));
    socket.close();
    expect(await result).toMatchObject({ kind: 'unknown', reason: 'device_disconnected', deviceId });
  });

  it('times out, and reports a late answer once', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { deviceId } = await connectMachine(() => released.then(createDoneAnswer));
    const late: unknown[] = [];
    const began = performance.now();
    const result = await sendCall(deviceId, {
      answerTimeoutMs: 1_000,
      onLateAnswer: (...answer) => late.push(answer),
    });
    expect(result).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    // Timers of Node.js begin with the turn of the event loop that sets them.
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(late).toEqual([]);
    release();
    await waitFor(() => expect(late).toEqual([[RESULT_OUTCOME, deviceId]]));
    await sleep(50);
    expect(late).toHaveLength(1);
  });

  it('allows at most sixteen calls in flight per device', async () => {
    const { deviceId, socket } = await connectMachine(() => NO_RESPONSE);
    const calls = Array.from({ length: 16 }, () => sendCall(deviceId, { answerTimeoutMs: 1_000 }));
    await waitFor(() => expect(socket.requests).toHaveLength(16));
    expect(await sendCall(deviceId)).toMatchObject({ kind: 'not_delivered', reason: 'device_busy' });
    for (const each of calls) expect(await each).toMatchObject({ reason: 'timeout' });
    socket.setHandler(createDoneAnswer);
    // The owner frees the slots at the same time, which it estimates by itself.
    await waitFor(async () => expect(await sendCall(deviceId)).toMatchObject({ kind: 'answered' }));
  });

  it('delivers a stop while sixteen messages wait, and four stops at most', async () => {
    const { deviceId, socket } = await connectMachine(
      ({ method }) => (method === 'session.cancel' ? createDoneAnswer() : NO_RESPONSE),
      ['session.message', 'session.cancel'],
    );
    const createMessage = () => createSessionCall('session.message', deviceId, { content: 'x', waitMs: 25_000 });
    const createStop = () => createSessionCall('session.cancel', deviceId, { turnId: 'turn_1' });
    const messages = Array.from({ length: 16 }, () => bus.sendCall(createMessage()));
    await waitFor(() => expect(socket.requests).toHaveLength(16));
    expect(await bus.sendCall(createMessage())).toMatchObject({ reason: 'device_busy' });
    const stop = createStop();
    expect(await bus.sendCall(stop)).toMatchObject({ kind: 'answered', deviceId, answer: RESULT_OUTCOME });
    expect(socket.requests.at(-1)).toEqual({ ...stop.request, serverTime: expect.any(Number) });
    socket.setHandler(() => NO_RESPONSE);
    const stops = Array.from({ length: 4 }, () => bus.sendCall(createStop()));
    await waitFor(() => expect(socket.requests).toHaveLength(16 + 1 + 4));
    expect(await bus.sendCall(createStop())).toMatchObject({ kind: 'not_delivered', reason: 'device_busy' });
    for (const each of [...messages, ...stops]) expect(await each).toMatchObject({ reason: 'timeout' });
  });

  it('sends a cancellation to the device, also when the caller cancels before the call is routed', async () => {
    const { deviceId, socket } = await connectMachine();
    // A call that seems older than the connection is refused and sent again, but not after its caller has cancelled it.
    await sendCall(deviceId);
    socket.setHandler(() => NO_RESPONSE);
    const relayCalls = [createCall(deviceId, { answerTimeoutMs: 500 }), createCall(deviceId, { answerTimeoutMs: 500 })];
    const results = relayCalls.map((each) => bus.sendCall(each));
    const ids = relayCalls.map(({ request }) => request.requestId);
    bus.cancelCall(ids[0]!, 'caller_gone');
    await waitFor(() => expect(socket.requests).toHaveLength(3));
    bus.cancelCall(ids[1]!, 'caller_gone');
    await waitFor(() => {
      expect(socket.cancels).toEqual(ids.map((requestId) => ({ requestId, reason: 'caller_gone' })));
    });
    await Promise.all(results);
  });

  describeNotificationContract(() => ({ bus, accountId, connectDevice }));
}

describe('LocalBus', () => {
  describeBusContract(async () => {
    const harness = await BusHarness.startLocal();
    return { holder: harness, caller: harness, stop: () => harness.stop() };
  });
});

describeWith('Redis')('RedisBus, the device on the same instance', () => {
  describeBusContract(async () => {
    const { url, release } = await leaseRedis();
    const harness = await BusHarness.startRedis(url, 'only');
    return { holder: harness, caller: harness, stop: () => harness.stop().then(release) };
  });
});

describeWith('Redis')('RedisBus, the device on another instance', () => {
  describeBusContract(async () => {
    const { url, release } = await leaseRedis();
    const [holder, caller] = await Promise.all([
      BusHarness.startRedis(url, 'holder'),
      BusHarness.startRedis(url, 'caller'),
    ]);
    const stop = async () => {
      await Promise.all([holder.stop(), caller.stop()]);
      await release();
    };
    return { holder, caller, stop };
  });
});

describeWith('redis-server')('RedisBus on a Redis Cluster', () => {
  describeBusContract(async () => {
    const cluster = await RedisCluster.start();
    const [holder, caller] = await Promise.all([
      BusHarness.startRedis(cluster.url, 'holder'),
      BusHarness.startRedis(cluster.url, 'caller'),
    ]);
    const stop = async () => {
      await Promise.all([holder.stop(), caller.stop()]);
      await cluster.remove();
    };
    return { holder, caller, stop };
  });
});
