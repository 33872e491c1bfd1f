import { Redis } from 'ioredis';
import { generateId } from '../../../src/common/ids';
import { buildPresenceKey } from '../../../src/modules/relay-bus/redis/redis-keys';
import { leaseRedis } from '../../support/backend';
import { describeWithServices } from '../../support/postgres';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';

interface CapturedRequest {
  attempt: number;
  answerBy: number;
}

describeWithServices('a call to a device that its instance does not have', () => {
  let redis: Redis;
  let listener: Redis;
  let harnesses: [caller: BusHarness, owner: BusHarness];
  let release: () => Promise<void>;

  beforeAll(async () => {
    const lease = await leaseRedis();
    release = lease.release;
    redis = new Redis(lease.url);
    listener = new Redis(lease.url);
    harnesses = await Promise.all([
      BusHarness.startRedis(lease.url, 'caller'),
      BusHarness.startRedis(lease.url, 'owner'),
    ]);
  });
  afterEach(() => void listener.removeAllListeners('message'));
  afterAll(async () => {
    await Promise.all(harnesses.map((harness) => harness.stop()));
    listener.disconnect();
    redis.disconnect();
    await release();
  });

  it.each([-60_000, 3_600_000])('runs at once after the clock of the machines was set by %d ms', async (stepMs) => {
    const [caller, owner] = harnesses;
    const identity = new FakeDeviceIdentity(generateId('acc'));
    const socket = await owner.connectDevice(identity);
    socket.setHandler(() => ({ ok: true, result: {} }));
    const getTime = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => getTime() + stepMs);
    const call = createTestRelayCall(caller.bus, identity.accountId, identity.deviceId);
    const result = await caller.bus.sendCall(call).finally(() => clock.mockRestore());
    expect(result).toMatchObject({ kind: 'answered' });
    socket.close();
  });

  /**
   * Sends a call to a device whose entries lead to an instance that doesn't have it.
   * @param onRequest called with the number of requests so far
   */
  async function sendMisroutedCall(onRequest: (count: number, requestId: string) => unknown = () => undefined) {
    const [caller] = harnesses;
    const { accountId, deviceId } = new FakeDeviceIdentity(generateId('acc'));
    let epoch = 0;
    // The owner removes the entry that led the call to it, but none with a higher epoch.
    const publishStaleEntry = () => {
      const entry = { instance: 'owner', epoch: ++epoch, kind: 'machine', machineId: null, signed: true };
      const value = JSON.stringify({ ...entry, capabilities: ['machine.invoke'] });
      return redis.hset(buildPresenceKey(redis, accountId), deviceId, value);
    };
    const call = createTestRelayCall(caller.bus, accountId, deviceId);
    const requests: CapturedRequest[] = [];
    await listener.subscribe('relay:to:owner');
    listener.on('message', (_, message: string) => {
      const head = JSON.parse(message.split('\n', 1)[0]!) as CapturedRequest & { type: string };
      if (head.type !== 'request') return;
      onRequest(requests.push(head), call.request.requestId);
      void publishStaleEntry();
    });
    await publishStaleEntry();
    return { outcome: await caller.bus.sendCall(call), requests };
  }

  it('is routed five times within the time of one call', async () => {
    const { outcome, requests } = await sendMisroutedCall();
    expect(outcome).toMatchObject({ kind: 'not_delivered', reason: 'no_online_device' });
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    // The pauses between the attempts last 400 ms in all. If each attempt had the whole time, its end would move so
    // far.
    expect(requests[4]!.answerBy - requests[0]!.answerBy).toBeLessThan(200);
  });

  it('is not sent again if its caller leaves in a pause between two attempts', async () => {
    const [{ bus }] = harnesses;
    // The last pause lasts 270 ms.
    const leave = (requestId: string) => setTimeout(() => bus.cancelCall(requestId, 'caller_gone'), 100);
    const { requests } = await sendMisroutedCall((count, requestId) => count === 4 && leave(requestId));
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });
});
