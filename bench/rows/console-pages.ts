import { ConsoleVisitor } from '../../test/support/console-visitor';
import { median } from '../run-row';
import { Closing, type Row } from '../row';
import { Scene } from '../support/scene';

const PAGES = ['tokens', 'apps', 'authorized-apps', 'webhooks', 'devices', 'activity', 'usage'];
const LIMIT_MS = 50;
const TOKENS = 40;
const CALLS = 60;
const VISITS = 20;

export const consolePages: Row = {
  name: 'console-pages',
  figure: `the slowest of the console’s ${PAGES.length} pages, full, on the embedded database`,
  against: `${LIMIT_MS} ms`,
  unit: 'ms',
  goal: { atMost: 0.5 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start(1, {}, 'embedded'));
      await fill(scene);
      const visitor = await ConsoleVisitor.signIn(scene.first.url, scene.ada);
      const visit = async (page: string) => {
        const from = performance.now();
        const { status } = await visitor.get(`/console/${page}`);
        if (status !== 200) throw new Error(`/console/${page} answers ${status}`);
        return performance.now() - from;
      };
      const typical = async (page: string) => {
        const times: number[] = [];
        for (let n = 0; n < VISITS; n++) times.push(await visit(page));
        return median(times);
      };
      const slowest = async () => {
        const times: number[] = [];
        for (const page of PAGES) times.push(await typical(page));
        return Math.max(...times);
      };
      await slowest();
      return { measured: slowest, peer: () => Promise.resolve(LIMIT_MS), close: closing.close };
    });
  },
};

/** Nearly as many tokens as an account may have, and more than a page of calls that found no device. */
async function fill({ first, ada }: Scene): Promise<void> {
  const machine = await ada.adopt('machine');
  const body = { name: 'box', platform: 'linux' };
  const answer = await first.http.post('/v1/machines', machine.token, body);
  const { data } = answer.body as { data: { id: string } };
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n++) tokens.push((await ada.createToken(['machines:invoke'])).token);
  for (let n = 0; n < CALLS; n++) {
    await first.http.post(`/external/v1/machines/${data.id}/invoke`, tokens[n % TOKENS], { command: 'true' });
  }
}
