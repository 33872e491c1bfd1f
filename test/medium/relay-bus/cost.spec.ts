import { Redis } from 'ioredis';
import { newId } from '../../../src/common/ids';
import { leaseRedis } from '../../support/backend';
import { eventually } from '../../support/eventually';
import { describeServices } from '../../support/postgres';
import { BusRig } from './bus-rig';
import { FakeIdentity } from './fake-identity';
import { orderFor } from './order-for';

const CALLS = 40;

describeServices('a call to a device of another instance', () => {
  it.each([2, 6])('is two commands to Redis where there are %d instances', async (count) => {
    const { url, release } = await leaseRedis();
    const names = Array.from({ length: count }, (_, n) => `instance-${n}`);
    const rigs = await Promise.all(names.map((name) => BusRig.redis(url, name)));
    const redis = new Redis(url);
    const monitor = await redis.monitor();
    try {
      const { accountId, deviceId } = new FakeIdentity(newId('acc'));
      const socket = await rigs[0]!.connect({ accountId, deviceId, deviceKind: 'machine' });
      socket.answerWith(() => ({ ok: true, result: {} }));
      const ids: string[] = [];
      const commands: string[] = [];
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        // What a script does inside Redis is no round trip.
        if (source !== 'lua' && args.some((arg) => ids.some((id) => arg.includes(id)))) commands.push(args[0]!);
      });
      const { bus } = rigs[1]!;
      for (let n = 0; n < CALLS; n++) {
        const order = orderFor(bus, accountId, deviceId);
        ids.push(order.request.requestId);
        expect(await bus.call(order)).toMatchObject({ kind: 'answered' });
      }
      const counts = () =>
        ['eval', 'publish'].map((name) => commands.filter((each) => each.toLowerCase().startsWith(name)).length);
      await eventually(() => expect([...counts(), commands.length]).toEqual([CALLS, CALLS, 2 * CALLS]));
      socket.close();
    } finally {
      monitor.disconnect();
      redis.disconnect();
      await Promise.all(rigs.map((rig) => rig.stop()));
      await release();
    }
  });
});
