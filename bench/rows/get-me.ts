import { ok } from '../../test/support/device/foreign-device';
import { Closing, type Row } from '../row';
import { Child } from '../support/child';
import { Load } from '../support/load';
import { Scene } from '../support/scene';
import { reads, warmUp } from '../support/throughput';

const CONNECTIONS = 32;

export const getMe: Row = {
  name: 'get-me',
  figure: `GET /me, ${CONNECTIONS} connections`,
  against: 'a bare Nest + Express handler that returns the same bytes',
  unit: '/s',
  goal: { atLeast: 0.6 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      const answer: unknown = ok(await scene.first.http.get('/external/v1/me', scene.token), 200);
      const bare = closing.add(Child.start('bench/peers/bare-nest.ts', { ANSWER: JSON.stringify(answer) }));
      const bareUrl = { url: `http://127.0.0.1:${await bare.next<number>('port')}` };
      const how = { load: closing.add(new Load()), connections: CONNECTIONS, seconds: 1 };
      const measured = reads(how, scene.first, '/external/v1/me', scene.token);
      const peer = reads(how, bareUrl, '/me', scene.token);
      await warmUp(6, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
