import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { generateId } from '../../../src/common/ids';
import { buildPresenceKey } from '../../../src/modules/relay-bus/redis/redis-keys';
import { leaseRedis } from '../../support/backend';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { describeWithServices } from '../../support/postgres';
import { BusHarness, createBusTrust } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';
import { RedisWiretap } from './redis-wiretap';

/** Time in which an accepted message would have had its effect. */
const EFFECT_WAIT_MS = 300;
/** Channels are shared by all databases, so no other suite may use these names. */
const [CALLER, HOLDER, OTHER, STRANGER] = ['caller', 'holder', 'other', 'stranger'].map(
  (name) => `attacked-${name}`,
) as [string, string, string, string];
const createDoneAnswer = () => ({ ok: true, result: { done: true } });

/** The attacker may run every command of Redis, but has none of the keys (docs/decisions/0029). */
describeWithServices('a bus with an attacker in Redis', () => {
  let url: string;
  let harnesses: Record<'caller' | 'holder' | 'other' | 'stranger', BusHarness>;
  let attacker: RedisWiretap;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const lease = await leaseRedis();
    url = lease.url;
    const [caller, holder, other, stranger] = await Promise.all([
      BusHarness.startRedis(url, CALLER),
      BusHarness.startRedis(url, HOLDER),
      BusHarness.startRedis(url, OTHER),
      BusHarness.startRedis(url, STRANGER, createBusTrust('the key of another installation')),
    ]);
    harnesses = { caller, holder, other, stranger };
    attacker = await RedisWiretap.start(url, CALLER, HOLDER, OTHER);
    stop = async () => {
      attacker.stop();
      await Promise.all(Object.values(harnesses).map((harness) => harness.stop()));
      await lease.release();
    };
  });
  afterAll(() => stop?.());

  /** Connects a machine to an instance, and calls it from the caller. */
  const machine = async (harness = harnesses.holder) => {
    const identity = new FakeDeviceIdentity(generateId('acc'));
    const socket = await harness.connectDevice(identity);
    socket.setHandler(createDoneAnswer);
    const createRelayCall = () => createTestRelayCall(harnesses.caller.bus, identity.accountId, identity.deviceId);
    return {
      ...identity,
      identity,
      socket,
      createRelayCall,
      call: (given = createRelayCall()) => harnesses.caller.bus.sendCall(given),
    };
  };
  const answeredOnce = async (target: Awaited<ReturnType<typeof machine>>) => {
    const relayCall = target.createRelayCall();
    expect(await target.call(relayCall)).toMatchObject({ kind: 'answered' });
    return { relayCall, envelope: await attacker.waitForMessage('request', relayCall.request.requestId) };
  };

  it('runs no forged call', async () => {
    const { accountId, deviceId, socket } = await machine();
    const now = harnesses.caller.bus.getServerTime();
    const request = createTestRelayCall(harnesses.caller.bus, accountId, deviceId).request;
    const head = {
      ...{ owner: HOLDER, deviceId, epoch: 0, acceptBy: now + 1_500, answerBy: now + 9_000 },
      ...{ type: 'request', attempt: 1, callId: request.requestId, origin: CALLER, accountId },
      ...{ method: 'machine.invoke', audit: {}, from: CALLER, sentAt: now },
    };
    await attacker.publishForgedMessage(HOLDER, head, request);
    await attacker.publishForgedMessage(HOLDER, { mac: 'A'.repeat(43), ...head }, request);
    await attacker.publishMessage(HOLDER, `{"mac":"${'A'.repeat(43)}",${JSON.stringify(head).slice(1)}\n{}`);
    await sleep(EFFECT_WAIT_MS);
    expect(socket.requests).toEqual([]);
    socket.close();
  });

  it('doesn’t run a captured call again on any instance', async () => {
    const target = await machine();
    const { envelope } = await answeredOnce(target);
    for (const instance of [HOLDER, OTHER, CALLER]) {
      for (let n = 0; n < 3; n++) await attacker.publishMessage(instance, envelope);
    }
    await sleep(EFFECT_WAIT_MS);
    expect(target.socket.requests).toHaveLength(1);
    target.socket.close();
  });

  it('doesn’t run a captured call again after its device has reconnected elsewhere', async () => {
    const target = await machine();
    const { relayCall, envelope } = await answeredOnce(target);
    target.socket.close();
    const moved = await harnesses.other.connectDevice(target.identity);
    moved.setHandler(createDoneAnswer);
    for (const epoch of [0, 1, 999_999]) {
      await attacker.publishMessage(OTHER, envelope.replace(/"epoch":\d+/, `"epoch":${epoch}`));
    }
    await sleep(EFFECT_WAIT_MS);
    expect(moved.requests).toEqual([]);
    expect(harnesses.other.bus.getServerTime()).toBeLessThan(relayCall.request.deadline);
    expect(await target.call()).toMatchObject({ kind: 'answered' });
    moved.close();
  });

  it('runs a call with several candidates on only one device', async () => {
    const accountId = generateId('acc');
    const phones = [];
    for (const harness of [harnesses.holder, harnesses.other]) {
      const socket = await harness.connectDevice(new FakeDeviceIdentity(accountId, 'account'));
      socket.setHandler(createDoneAnswer);
      phones.push(socket);
    }
    const relayCall = createTestRelayCall(harnesses.caller.bus, accountId, '', {
      candidates: [{ deviceId: 'dev_absent' }, { newest: 'account' }],
      capability: 'session.message',
    });
    expect(await harnesses.caller.bus.sendCall(relayCall)).toMatchObject({ kind: 'answered' });
    const envelope = await attacker.waitForMessage('request', relayCall.request.requestId);
    for (const instance of [HOLDER, OTHER]) await attacker.publishMessage(instance, envelope);
    await sleep(EFFECT_WAIT_MS);
    expect(phones.map(({ requests }) => requests.length)).toEqual([0, 1]);
    for (const phone of phones) phone.close();
  });

  it.each([
    ['the command', /"command":"true"/, '"command":"evil"'],
    ['the device', /"deviceId":"dev_\d+"/, '"deviceId":"dev_0"'],
    ['the call id', /"callId":"req_/, '"callId":"req_0'],
    ['the attempt', /"attempt":1/, '"attempt":9'],
    ['the time', /"acceptBy":1/, '"acceptBy":9'],
    ['a member put in front', /^\{"epoch":/, '{"attempt":9,"epoch":'],
    ['no authentication code', /"mac":"[\w-]+",/, ''],
  ])('runs no modified call: %s', async (_, from, to) => {
    const target = await machine();
    const { envelope } = await answeredOnce(target);
    const changed = envelope.replace(from, to);
    expect(changed).not.toBe(envelope);
    await attacker.publishMessage(HOLDER, changed);
    await sleep(EFFECT_WAIT_MS);
    expect(target.socket.requests).toHaveLength(1);
    target.socket.close();
  });

  it('runs no call that was delayed beyond its deadline', async () => {
    const target = await machine();
    const presence = new Redis(url);
    const key = buildPresenceKey(presence, target.accountId);
    const entry = JSON.parse((await presence.hget(key, target.deviceId))!) as object;
    // A wrong presence entry routes the call to another instance. It is captured there and delivered late.
    await presence.hset(key, target.deviceId, JSON.stringify({ ...entry, instance: OTHER }));
    const relayCall = target.createRelayCall();
    const result = target.call(relayCall);
    const envelope = await attacker.waitForMessage('request', relayCall.request.requestId);
    expect(await result).toMatchObject({ kind: 'not_delivered' });
    await sleep(2_500);
    await attacker.publishMessage(HOLDER, envelope);
    await sleep(EFFECT_WAIT_MS);
    expect(target.socket.requests).toEqual([]);
    presence.disconnect();
    target.socket.close();
  });

  it('rejects messages of another installation, and vice versa', async () => {
    const target = await machine();
    expect((await harnesses.stranger.bus.sendCall(target.createRelayCall())).kind).not.toBe('answered');
    expect(target.socket.requests).toEqual([]);
    const theirs = await machine(harnesses.stranger);
    expect((await theirs.call()).kind).not.toBe('answered');
    expect(theirs.socket.requests).toEqual([]);
    for (const { socket } of [target, theirs]) socket.close();
  });

  it('rejects forged answers and refusals of other instances than the owner', async () => {
    const target = await machine();
    const { relayCall: earlier } = await answeredOnce(target);
    const old = await attacker.waitForMessage('answer', earlier.request.requestId);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    target.socket.setHandler(() => released.then(() => ({ ok: true, result: { real: true } })));
    const relayCall = target.createRelayCall();
    const { requestId } = relayCall.request;
    const result = target.call(relayCall);
    const envelope = await attacker.waitForMessage('request', requestId);
    await waitFor(() => expect(target.socket.requests).toHaveLength(2));

    const head = { type: 'answer', callId: requestId, attempt: 1, deviceMs: 1 };
    await attacker.publishForgedMessage(
      CALLER,
      { ...head, kind: 'answered' },
      { kind: 'result', result: {}, bytes: 2 },
    );
    await attacker.publishForgedMessage(CALLER, { ...head, kind: 'refused', reason: 'gone' });
    await attacker.publishMessage(CALLER, old.replace(earlier.request.requestId, requestId));
    // Each of these makes an instance say something true and signed about the call: that it has no such device, that it
    // is too late, that it believes nobody.
    await attacker.publishMessage(OTHER, envelope);
    await attacker.publishMessage(OTHER, envelope.replace(/"mac":"[\w-]+",/, ''));
    await sleep(2_500);
    await attacker.publishMessage(OTHER, envelope);
    await attacker.publishMessage(HOLDER, envelope);
    await sleep(EFFECT_WAIT_MS);
    release();
    expect(await result).toMatchObject({ kind: 'answered', answer: { result: { real: true } } });
    expect(target.socket.requests).toHaveLength(2);
    target.socket.close();
  });

  it('ignores forged cancellations, connections and notifications', async () => {
    const target = await machine();
    const { accountId, deviceId, socket } = target;
    const notified: unknown[] = [];
    socket.socket.on('change', (change) => notified.push(change));
    socket.setHandler(() => NO_RESPONSE);
    const relayCall = target.createRelayCall();
    void target.call(relayCall);
    await waitFor(() => expect(socket.requests).toHaveLength(1));
    const callId = relayCall.request.requestId;
    await attacker.publishForgedMessage(HOLDER, { type: 'cancel', callId, reason: 'caller_gone' });
    await attacker.publishForgedMessage(HOLDER, { type: 'superseded', accountId, deviceId, epoch: 999_999 });
    const change = { type: 'session.created', id: 'ses_1' };
    await attacker.publishForgedMessage(HOLDER, { type: 'hint', accountId, exceptDeviceId: null }, change);
    await sleep(EFFECT_WAIT_MS);
    expect([socket.cancels, notified, socket.socket.connected]).toEqual([[], [], true]);
    harnesses.caller.bus.cancelCall(callId, 'caller_gone');
    await waitFor(() => expect(socket.cancels).toHaveLength(1));
    socket.close();
  });

  it('rejects messages to another instance', async () => {
    const target = await machine();
    const { relayCall } = await answeredOnce(target);
    const answer = await attacker.waitForMessage('answer', relayCall.request.requestId);
    const rejected = () => harnesses.other.readMetric('relay_rejected_messages_total', { reason: 'misdirected' });
    const before = await rejected();
    await attacker.publishMessage(OTHER, answer);
    await waitFor(async () => expect(await rejected()).toBe(before + 1));
    target.socket.close();
  });
});

describeWithServices('a key rotation', () => {
  it('keeps all instances connected at every step', async () => {
    const { url, release } = await leaseRedis();
    const [OLD, NEW] = ['the key of yesterday', 'the key of tomorrow'];
    const steps = [
      [createBusTrust(OLD), createBusTrust(OLD, NEW)],
      [createBusTrust(OLD, NEW), createBusTrust(NEW, OLD)],
      [createBusTrust(NEW, OLD), createBusTrust(NEW)],
    ];
    for (const [index, [before, after]] of steps.entries()) {
      const pair = [
        await BusHarness.startRedis(url, `rotated-a${index}`, before),
        await BusHarness.startRedis(url, `rotated-b${index}`, after),
      ];
      for (const [holder, caller] of [pair, [...pair].reverse()]) {
        const device = new FakeDeviceIdentity(generateId('acc'));
        const socket = await holder!.connectDevice(device);
        socket.setHandler(createDoneAnswer);
        const relayCall = createTestRelayCall(caller!.bus, device.accountId, device.deviceId);
        expect(await caller!.bus.sendCall(relayCall)).toMatchObject({ kind: 'answered' });
        socket.close();
      }
      await Promise.all(pair.map((harness) => harness.stop()));
    }
    await release();
  });
});
