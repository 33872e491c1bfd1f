import { setTimeout as sleep } from 'node:timers/promises';
import { Closing, type Row } from '../row';
import { Child } from '../support/child';
import { Devices } from '../support/devices';
import { insertSignedInMachines } from '../support/machines';
import { Scene } from '../support/scene';
import { warmUp } from '../support/throughput';

const SOCKETS = 1_000;
/** What follows a connection or its end is written behind it. */
const SETTLE_MS = 1_000;

export const socketMemory: Row = {
  name: 'socket-memory',
  figure: `memory per idle device socket, ${SOCKETS} of them`,
  against: "a bare socket.io server's",
  unit: 'B',
  goal: { atMost: 1.3 },
  maxRounds: 3,
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      const bare = closing.add(Child.start('bench/peers/bare-sockets.ts'));
      const bareUrl = `http://127.0.0.1:${await bare.next<number>('port')}`;
      const devices = closing.add(new Devices());
      const tokens = (await insertSignedInMachines(scene, SOCKETS)).map(({ token }) => token);

      const perSocket = (child: Child, url: string) => async () => {
        const before = await child.memory();
        await devices.connect(url, tokens);
        await sleep(SETTLE_MS);
        const after = await child.memory();
        await devices.leave();
        await sleep(SETTLE_MS);
        return (after - before) / SOCKETS;
      };
      const measured = perSocket(scene.first.child, scene.first.url);
      const peer = perSocket(bare, bareUrl);
      await warmUp(1, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
