import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../sending/exchange';
import { HEALTHY } from './lane-health';
import { LaneRunner, type LaneTools } from './lane-runner';

const DELIVERED: Exchange = {
  status: 204,
  error: null,
  response: '',
  retryAfter: null,
  sentAt: 0,
  durationMs: 1,
};
const ENDPOINT = { url: 'http://receiver.example/', isActive: true, viewer: null, keys: [] };

/** A lane in which these deliveries wait. */
class Lane {
  readonly sent: string[] = [];
  now = 0;
  readonly runner: LaneRunner;

  constructor(ids: string[], changes: Record<string, object> = {}) {
    const tools = {
      clock: { monotonic: () => this.now, date: () => new Date(), now: () => Date.now() },
      lanes: { renew: () => Promise.resolve(true), ...changes.lanes },
      queue: {
        due: (_: string, __: Date, taken: string[]) =>
          Promise.resolve(ids.filter((id) => !taken.includes(id) && !this.sent.includes(id)).map((id) => ({ id }))),
      },
      endpoints: { find: () => Promise.resolve(ENDPOINT), ...changes.endpoints },
      tries: { run: (...[, , , { id }]: any[]) => this.send(id), ...changes.tries },
    };
    const lease = { webhookId: 'whk_1', lease: '1', health: HEALTHY };
    this.runner = new LaneRunner(lease, 0, tools as unknown as LaneTools);
  }

  send(id: string) {
    this.sent.push(id);
    return Promise.resolve({ exchange: DELIVERED, written: Promise.resolve(true) });
  }
}

describe('LaneRunner', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('goes on when it is nudged %i microtasks after it asked', async (ticks) => {
    const find = () => {
      let next = Promise.resolve();
      for (let n = 0; n < ticks; n++) next = next.then(() => undefined);
      void next.then(() => lane.runner.nudge());
      return Promise.resolve(ENDPOINT);
    };
    const lane = new Lane(['dlv_1', 'dlv_2'], { endpoints: { find } });
    await lane.runner.run();
    expect(lane.sent).toEqual(['dlv_1', 'dlv_2']);
  });

  it('ends with the error of a try that throws, and nothing stays under way', async () => {
    const run = () => Promise.reject(new Error('no more memory'));
    const lane = new Lane(['dlv_1', 'dlv_2'], { tries: { run } });
    await expect(lane.runner.run()).rejects.toThrow('no more memory');
  });

  it('starts no try that the lease might not outlive', async () => {
    const order: string[] = [];
    const lane: Lane = new Lane(['dlv_1'], {
      lanes: { renew: () => Promise.resolve(order.push('renewed') > 0) },
      endpoints: {
        find: () => {
          // It took that long to answer, the first time.
          lane.now ||= 45_000;
          return Promise.resolve(ENDPOINT);
        },
      },
      tries: {
        run: () => {
          order.push('tried');
          return lane.send('dlv_1');
        },
      },
    });
    await lane.runner.run();
    expect(order).toEqual(['renewed', 'tried']);
  });

  it('sends nothing more once it is told to end, and waits for what is under way', async () => {
    const ended: string[] = [];
    const lane: Lane = new Lane(
      Array.from({ length: 30 }, (_, n) => `dlv_${n}`),
      {
        tries: {
          run: async (...[, , , { id }]: any[]) => {
            lane.runner.end();
            await sleep(20);
            ended.push(id);
            return lane.send(id);
          },
        },
      },
    );
    await lane.runner.run();
    expect(lane.sent).toEqual(ended);
    expect(ended).toHaveLength(1);
  });
});
