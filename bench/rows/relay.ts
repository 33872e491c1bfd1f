import { Closing, type Row } from '../row';
import { Child } from '../support/child';
import { Devices } from '../support/devices';
import { Load, type LoadRequest } from '../support/load';
import { insertSignedInMachines } from '../support/machines';
import { Scene } from '../support/scene';
import { warmUp } from '../support/throughput';

const IN_FLIGHT = 64;
/** A device takes 16 calls at a time. */
const MACHINES = 8;
const BODY = JSON.stringify({ command: 'git', args: ['status', '--short'] });

export const relay: Row = {
  name: 'relay',
  figure: `relay, ${IN_FLIGHT} in flight, one instance`,
  against: 'a bare HTTP handler awaiting one socket.io ack',
  unit: '/s',
  goal: { atLeast: 0.7 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      const load = closing.add(new Load());
      const bare = closing.add(Child.start('bench/peers/bare-relay.ts'));
      const bareUrl = `http://127.0.0.1:${await bare.next<number>('port')}`;
      const machines = await insertSignedInMachines(scene, MACHINES);
      const tokens = machines.map(({ token }) => token);
      for (const url of [scene.first.url, bareUrl]) await closing.add(new Devices()).connect(url, tokens);

      const headers = { Authorization: `Bearer ${scene.token}`, 'Content-Type': 'application/json' };
      const post = (path: string): LoadRequest => ({ method: 'POST', path, headers, body: BODY });
      const invokes = machines.map(({ machineId }) => post(`/external/v1/machines/${machineId}/invoke`));
      const measured = () => load.throughput(scene.first.url, invokes, IN_FLIGHT, 1);
      const acks = tokens.map((token) => post(`/${token}`));
      const peer = () => load.throughput(bareUrl, acks, IN_FLIGHT, 1);
      await warmUp(6, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
