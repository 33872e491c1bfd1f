import { newId } from '../../../src/common/ids';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { leaseRedis, REDIS_URL } from '../../support/backend';
import { eventually } from '../../support/eventually';
import { describeServices } from '../../support/postgres';
import { BusRig } from './bus-rig';
import { FakeIdentity } from './fake-identity';
import { orderFor } from './order-for';

/** As behind a firewall that forgot about it: the connection stands, and nothing comes through. */
describeServices('one of an instance’s two connections to Redis, fallen silent', () => {
  it.each(['holds the device', 'has the caller'])('is made anew on the instance that %s', async (role) => {
    const { url, release } = await leaseRedis();
    const path = await TcpProxy.start(Number(new URL(REDIS_URL).port || 6379));
    const silenced = new URL(url);
    silenced.host = `127.0.0.1:${path.port}`;
    const rigs = await Promise.all([BusRig.redis(silenced.href, 'silenced'), BusRig.redis(url, 'other')]);
    const [holder, caller] = role === 'holds the device' ? rigs : [rigs[1], rigs[0]];
    try {
      const { accountId, deviceId } = new FakeIdentity(newId('acc'));
      const socket = await holder.connect({ accountId, deviceId, deviceKind: 'machine' });
      const call = () => caller.bus.call(orderFor(caller.bus, accountId, deviceId));
      expect(await call()).toMatchObject({ kind: 'answered' });
      expect(path.connections).toBe(2);
      for (const connection of [0, 1]) {
        path.silence(connection);
        await eventually(async () => {
          const results = [await call(), await call(), await call()];
          expect(results.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'answered']);
        }, 15_000);
      }
      socket.close();
    } finally {
      await Promise.all(rigs.map((rig) => rig.stop()));
      await path.cut();
      await release();
    }
  });
});
