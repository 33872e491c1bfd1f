import { AccountDevice } from '../../test/support/device/foreign-device';
import { insertManySessions } from '../../test/support/large-tables';
import { Closing, type Row } from '../row';
import { Load } from '../support/load';
import { Scene } from '../support/scene';
import { reads, warmUp } from '../support/throughput';

const PATH = '/external/v1/sessions?limit=50';
const LARGE = 100_000;
const SMALL = 100;

export const listSessions: Row = {
  name: 'list-sessions',
  figure: 'GET /sessions?limit=50, 100,000 sessions',
  against: 'the same page in an account of 100',
  unit: '/s',
  goal: { atLeast: 0.9 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      const small = await AccountDevice.signUp(scene.first.http);
      const { token } = await small.createToken(['sessions:read']);
      await insertManySessions(scene, scene.ada.accountId, LARGE);
      await insertManySessions(scene, small.accountId, SMALL);
      await scene.query('ANALYZE');
      const how = { load: closing.add(new Load()), connections: 16, seconds: 1 };
      const measured = reads(how, scene.first, PATH, scene.token);
      const peer = reads(how, scene.first, PATH, token);
      await warmUp(4, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
