import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { newId } from '../../../src/common/ids';
import { presenceKey, type PresenceEntry } from '../../../src/relay/bus/redis/keys';
import { leaseRedis } from '../../support/backend';
import { eventually } from '../../support/eventually';
import { describeServices } from '../../support/postgres';
import { BusRig } from './bus-rig';
import { FakeIdentity } from './fake-identity';
import { orderFor } from './order-for';

/** An owner whose connection broke before Redis confirmed its answer publishes it again. */
describeServices('an answer that is published twice', () => {
  let redis: Redis;
  let listener: Redis;
  let rigs: [caller: BusRig, before: BusRig, after: BusRig];
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const { url, release } = await leaseRedis();
    redis = new Redis(url);
    listener = new Redis(url);
    rigs = await Promise.all([BusRig.redis(url, 'caller'), BusRig.redis(url, 'before'), BusRig.redis(url, 'after')]);
    stop = async () => {
      await Promise.all(rigs.map((rig) => rig.stop()));
      listener.disconnect();
      redis.disconnect();
      await release();
    };
  });
  afterAll(() => stop());

  it('ends no later offer of its call: the device that moved runs it once', async () => {
    const [caller, , after] = rigs;
    const { accountId, deviceId } = new FakeIdentity(newId('acc'));
    const socket = await after.connect({ accountId, deviceId, deviceKind: 'machine' });
    socket.answerWith(() => sleep(700, { ok: true, result: { done: true } }));
    const entry = await redis.hget(presenceKey(accountId), deviceId);
    const moved = JSON.parse(entry!) as PresenceEntry;
    const stale = JSON.stringify({ ...moved, instance: 'before', epoch: moved.epoch - 1 });

    // As if the first offer had found the device where it was before: its refusal comes again and again.
    const refusals: string[] = [];
    await listener.subscribe('relay:to:caller');
    listener.on('message', (channel, message: string) => {
      if (!message.includes('"reason":"gone"') || refusals.includes(message)) return;
      refusals.push(message);
      void redis.hset(presenceKey(accountId), deviceId, entry!);
      for (const afterMs of [50, 150, 400]) void sleep(afterMs).then(() => redis.publish(channel, message));
    });
    await redis.hset(presenceKey(accountId), deviceId, stale);
    const result = caller.bus.call(orderFor(caller.bus, accountId, deviceId));
    await eventually(() => expect(refusals).toHaveLength(1));
    expect(await result).toMatchObject({ kind: 'answered', answer: { result: { done: true } } });
    expect(socket.requests).toHaveLength(1);
    socket.close();
  });
});
