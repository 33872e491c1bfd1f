import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/common/ids';
import type { RelayBus, RelayCall, RelayResult } from '../../../src/relay/bus/relay-bus';
import { leaseRedis } from '../../support/backend';
import { NO_ANSWER } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import { describePostgres } from '../../support/postgres';
import { BusRig } from './bus-rig';
import { FakeIdentity } from './fake-identity';
import { orderFor } from './order-for';

/** Where devices are, and where calls come from. */
interface Shape {
  holder: BusRig;
  caller: BusRig;
  stop: () => Promise<void>;
}

const ANSWERED = { kind: 'result', result: { done: true }, bytes: 13 };

/** What every bus keeps to (relay.md). */
function keepsTheContract(start: () => Promise<Shape>): void {
  let shape: Shape;
  let bus: RelayBus;
  let accountId: string;
  beforeAll(async () => {
    shape = await start();
    bus = shape.caller.bus;
  });
  beforeEach(() => {
    accountId = newId('acc');
  });
  afterEach(async () => {
    await eventually(() => expect([bus.pending, shape.holder.bus.connectionCount]).toEqual([0, 0]));
  });
  afterAll(() => shape?.stop());

  const done = () => ({ ok: true, result: { done: true } });
  const machine = async (work: (request: any) => unknown = done, capabilities?: string[]) => {
    const identity = new FakeIdentity(accountId);
    const socket = await shape.holder.connect(identity, capabilities);
    socket.answerWith(work);
    return { ...identity, identity, socket };
  };
  const order = (deviceId: string, more?: Partial<RelayCall>) => orderFor(bus, accountId, deviceId, more);
  const call = (deviceId: string, more?: Partial<RelayCall>): Promise<RelayResult> => bus.call(order(deviceId, more));

  it('brings a call to its device, once, and the answer back', async () => {
    const { deviceId, socket } = await machine();
    const sent = order(deviceId);
    expect(await bus.call(sent)).toMatchObject({ kind: 'answered', deviceId, answer: ANSWERED });
    expect(socket.requests).toEqual([sent.request]);
    socket.close();
  });

  it.each([
    ['an error', { ok: false, error: { code: 'command_not_found', message: 'no' } }, 'command_not_found'],
    ['nothing of the kind', 'hello', 'invalid_answer'],
    ['nothing', undefined, 'invalid_answer'],
  ])('judges an answer that is %s', async (_, raw, code) => {
    const { deviceId, socket } = await machine(() => raw);
    expect(await call(deviceId)).toMatchObject({
      kind: 'answered',
      answer: { kind: 'error', error: { code } },
    });
    socket.close();
  });

  it('knows of nobody who can serve a call: nothing was sent', async () => {
    const { socket, deviceId } = await machine(done, ['session.message']);
    const nobody = { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
    expect(await call('dev_absent')).toEqual(nobody);
    expect(await call(deviceId)).toEqual(nobody);
    expect(await call(deviceId, { accountId: newId('acc'), capability: 'session.message' })).toEqual(nobody);
    expect(socket.requests).toEqual([]);
    socket.close();
  });

  it('takes the first candidate that is online, else the account device that connected last', async () => {
    const first = await machine();
    const second = await machine();
    const phones = [new FakeIdentity(accountId, 'account'), new FakeIdentity(accountId, 'account')];
    const sockets = [];
    for (const phone of phones) sockets.push(await shape.holder.connect(phone, ['session.message']));
    for (const socket of sockets) socket.answerWith(done);
    const candidates = [
      { deviceId: 'dev_absent' },
      { deviceId: first.deviceId },
      { deviceId: second.deviceId },
      { newest: 'account' as const },
    ];
    const message = { candidates, capability: 'session.message' as const };
    const reached = async () => (await call('', message)).deviceId;
    expect(await reached()).toBe(first.deviceId);
    first.socket.close();
    await eventually(async () => expect(await reached()).toBe(second.deviceId));
    second.socket.close();
    await eventually(async () => expect(await reached()).toBe(phones[1]!.deviceId));
    sockets[1]!.close();
    await eventually(async () => expect(await reached()).toBe(phones[0]!.deviceId));
    sockets[0]!.close();
  });

  it('prefers the newest connection of a device; the older one finishes and closes', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const old = await machine(() => released.then(done));
    const first = call(old.deviceId);
    await eventually(() => expect(old.socket.requests).toHaveLength(1));
    const newer = await shape.holder.connect(old.identity);
    newer.answerWith(done);
    expect(await call(old.deviceId)).toMatchObject({ kind: 'answered' });
    expect([old.socket.requests.length, newer.requests.length]).toEqual([1, 1]);
    release();
    expect(await first).toMatchObject({ kind: 'answered' });
    await old.socket.disconnected;
    newer.close();
  });

  it('says that nobody knows when the device vanishes', async () => {
    const { deviceId, socket } = await machine(() => NO_ANSWER);
    const result = call(deviceId);
    await eventually(() => expect(socket.requests).toHaveLength(1));
    socket.close();
    expect(await result).toMatchObject({ kind: 'unknown', reason: 'device_disconnected', deviceId });
  });

  it('gives up in time, and tells once of an answer that comes later', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { deviceId, socket } = await machine(() => released.then(done));
    const late: unknown[] = [];
    const began = performance.now();
    const result = await call(deviceId, { answerWithinMs: 300, onLateAnswer: (answer) => late.push(answer) });
    expect(result).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(late).toEqual([]);
    release();
    await eventually(() => expect(late).toEqual([ANSWERED]));
    await sleep(50);
    expect(late).toHaveLength(1);
    socket.close();
  });

  it('has sixteen calls in flight for a device, and no more', async () => {
    const { deviceId, socket } = await machine(() => NO_ANSWER);
    const calls = Array.from({ length: 16 }, () => call(deviceId, { answerWithinMs: 1_000 }));
    await eventually(() => expect(socket.requests).toHaveLength(16));
    expect(await call(deviceId)).toMatchObject({ kind: 'not_delivered', reason: 'device_busy' });
    for (const each of calls) expect(await each).toMatchObject({ reason: 'timeout' });
    socket.answerWith(done);
    expect(await call(deviceId)).toMatchObject({ kind: 'answered' });
    socket.close();
  });

  it('tells the device that its caller is gone, also before it is known who has the call', async () => {
    const { deviceId, socket } = await machine(() => NO_ANSWER);
    const orders = [order(deviceId, { answerWithinMs: 500 }), order(deviceId, { answerWithinMs: 500 })];
    const results = orders.map((each) => bus.call(each));
    const ids = orders.map(({ request }) => request.requestId);
    bus.cancel(ids[0]!, 'caller_gone');
    await eventually(() => expect(socket.requests).toHaveLength(2));
    bus.cancel(ids[1]!, 'caller_gone');
    await eventually(() => {
      expect(socket.cancels).toEqual(ids.map((requestId) => ({ requestId, reason: 'caller_gone' })));
    });
    await Promise.all(results);
    socket.close();
  });

  it('hints at a change to all devices of the account but one', async () => {
    const heard: string[] = [];
    const devices = [await machine(), await machine(), await machine()];
    for (const { socket, deviceId } of devices) socket.socket.on('change', () => heard.push(deviceId));
    const change = { type: 'session.created', id: 'ses_1' };
    await bus.hint(accountId, change, devices[1]!.deviceId);
    await bus.hint(newId('acc'), change, null);
    await eventually(() => expect(heard.sort()).toEqual([devices[0]!.deviceId, devices[2]!.deviceId].sort()));
    for (const { socket } of devices) socket.close();
  });
}

describe('LocalBus', () => {
  keepsTheContract(async () => {
    const rig = await BusRig.local();
    return { holder: rig, caller: rig, stop: () => rig.stop() };
  });
});

describePostgres('RedisBus, the device on the same instance', () => {
  keepsTheContract(async () => {
    const { url, release } = await leaseRedis();
    const rig = await BusRig.redis(url, 'only');
    return { holder: rig, caller: rig, stop: () => rig.stop().then(release) };
  });
});

describePostgres('RedisBus, the device on another instance', () => {
  keepsTheContract(async () => {
    const { url, release } = await leaseRedis();
    const [holder, caller] = await Promise.all([BusRig.redis(url, 'holder'), BusRig.redis(url, 'caller')]);
    const stop = async () => {
      await Promise.all([holder.stop(), caller.stop()]);
      await release();
    };
    return { holder, caller, stop };
  });
});
