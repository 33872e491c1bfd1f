import { Closing, type Row } from '../row';
import { Load } from '../support/load';
import { Scene } from '../support/scene';
import { reads, warmUp } from '../support/throughput';

const PATH = '/external/v1/machines';

export const countUsage: Row = {
  name: 'count-usage',
  figure: 'GET /machines with usage counted',
  against: 'the same build that counts nothing',
  unit: '/s',
  goal: { atLeast: 0.95 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start());
      const uncounted = await scene.addInstance('bench/support/without-usage.cjs');
      const how = { load: closing.add(new Load()), connections: 32, seconds: 1 };
      const measured = reads(how, scene.first, PATH, scene.token);
      const peer = reads(how, uncounted, PATH, scene.token);
      await warmUp(6, measured, peer);
      await requireCounting(scene, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};

/** Both sides are what they are taken for: one writes counts, the other none. */
async function requireCounting(scene: Scene, ...sides: (() => Promise<number>)[]): Promise<void> {
  const counted = async () => {
    // Counts are written every half second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [row] = await scene.query<{ sum: string | null }>('SELECT sum(requests) FROM usage_counts');
    return Number(row!.sum);
  };
  const seen = [await counted()];
  for (const side of sides) {
    await side();
    seen.push(await counted());
  }
  const [before, afterMeasured, afterPeer] = seen as [number, number, number];
  if (afterMeasured === before || afterPeer !== afterMeasured) {
    throw new Error(`the sides count wrongly: ${seen.join(', ')}`);
  }
}
