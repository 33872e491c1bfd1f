import { Closing, type Row } from '../row';
import { median } from '../run-row';
import { Caller } from '../support/caller';
import { Child } from '../support/child';
import { startCluster } from '../support/cluster';
import { Devices } from '../support/devices';
import { warmUp } from '../support/throughput';

const CALLS = 200;

export const relayAcross: Row = {
  name: 'relay-across',
  figure: 'relay across two instances, p50 at one in flight',
  against: 'two Redis hops and one local ack, measured alone',
  unit: 'ms',
  goal: { atMost: 2.2 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const { scene, calls } = await startCluster(closing, 2, 1);
      const env = { REDIS: scene.redisUrl };
      const owner = closing.add(Child.start('bench/peers/hop-owner.ts', env));
      const ownerUrl = `http://127.0.0.1:${await owner.next<number>('port')}`;
      await closing.add(new Devices()).connect(ownerUrl, ['a device']);
      const origin = closing.add(Child.start('bench/peers/hop-origin.ts', env));
      const caller = closing.add(new Caller(scene.token));
      const measured = async () => median(await caller.run(calls, CALLS, 1));
      const peer = async () => median(await origin.ask<number[]>({ run: CALLS }, 'took'));
      await warmUp(12, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
