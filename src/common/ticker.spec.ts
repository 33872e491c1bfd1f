import { Ticker } from './ticker';

describe('Ticker', () => {
  it('runs once more for any number of nudges while it runs', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const ticker = new Ticker('test', 60_000, () => {
      runs++;
      return new Promise<void>((resolve) => (finish = resolve));
    });
    ticker.nudge();
    for (let n = 0; n < 5; n++) ticker.nudge();
    expect(runs).toBe(1);
    finish();
    await new Promise(setImmediate);
    expect(runs).toBe(2);
    finish();
    await new Promise(setImmediate);
    expect(runs).toBe(2);
  });

  it('goes on at once while there is more to do, and survives what a run throws', async () => {
    let runs = 0;
    const ticker = new Ticker('test', 60_000, () => {
      if (++runs === 4) throw new Error('for once');
      return Promise.resolve(runs < 4);
    });
    ticker.nudge();
    await new Promise(setImmediate);
    expect(runs).toBe(4);
    ticker.nudge();
    await new Promise(setImmediate);
    expect(runs).toBe(5);
  });

  it('stops when the run that is under way has ended, and starts no other', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const ticker = new Ticker('test', 60_000, () => {
      runs++;
      return new Promise<boolean>((resolve) => (finish = () => resolve(true)));
    });
    ticker.nudge();
    const stopped = ticker.stop();
    finish();
    await stopped;
    ticker.nudge();
    expect(runs).toBe(1);
  });
});
