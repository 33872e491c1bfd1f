import { insertManySessions } from '../../test/support/large-tables';
import { Closing, type Row } from '../row';
import { Load } from '../support/load';
import { Scene } from '../support/scene';
import { reads, warmUp } from '../support/throughput';

const PATH = '/external/v1/sessions?limit=50';
/** Rows before page 1,000, in the largest pages that there are. */
const STRIDES = [...Array<number>(249).fill(200), 150];

export const deepPage: Row = {
  name: 'deep-page',
  figure: 'page 1,000 of GET /sessions',
  against: 'page 1',
  unit: '/s',
  goal: { atLeast: 0.9 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      await insertManySessions(scene, scene.ada.accountId, 100_000);
      await scene.query('ANALYZE');
      const cursor = await cursorOfPage1000(scene);
      const how = { load: closing.add(new Load()), connections: 16, seconds: 1 };
      const measured = reads(how, scene.first, `${PATH}&cursor=${cursor}`, scene.token);
      const peer = reads(how, scene.first, PATH, scene.token);
      await warmUp(4, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};

async function cursorOfPage1000({ first, token }: Scene): Promise<string> {
  let cursor = '';
  for (const limit of STRIDES) {
    const url = `${first.url}/external/v1/sessions?limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    ({ nextCursor: cursor } = (await answer.json()) as { nextCursor: string });
  }
  return cursor;
}
