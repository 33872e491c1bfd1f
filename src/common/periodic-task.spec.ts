import { PeriodicTask } from './periodic-task';
import { getRequestContext, runInRequestContext } from './request-context';

describe('PeriodicTask', () => {
  it('runs once more for any number of triggers during a run', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const periodicTask = new PeriodicTask('test', 60_000, () => {
      runs++;
      return new Promise<void>((resolve) => (finish = resolve));
    });
    periodicTask.trigger();
    for (let n = 0; n < 5; n++) periodicTask.trigger();
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
    const periodicTask = new PeriodicTask('test', 60_000, () => {
      if (++runs === 4) throw new Error('for once');
      return Promise.resolve(runs < 4);
    });
    periodicTask.trigger();
    await new Promise(setImmediate);
    expect(runs).toBe(4);
    periodicTask.trigger();
    await new Promise(setImmediate);
    expect(runs).toBe(5);
  });

  it('runs outside the context of the request that triggers it', () => {
    const contexts: unknown[] = [];
    const periodicTask = new PeriodicTask('test', 60_000, () => void contexts.push(getRequestContext()));
    runInRequestContext({ traceparent: undefined }, () => periodicTask.trigger());
    expect(contexts).toEqual([undefined]);
  });

  describe('with a timer', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it.each([
      ['waits for the promise of a run that takes longer than the interval', (work: Promise<void>) => work, 1],
      ['starts runs that return no promise on time, however long their work takes', () => undefined, 4],
    ])('%s', async (_, returnFrom, expectedRuns) => {
      let runs = 0;
      const endlessWork = new Promise<void>(() => undefined);
      const periodicTask = new PeriodicTask('test', 250, () => {
        runs++;
        return returnFrom(endlessWork);
      });
      periodicTask.start();
      await jest.advanceTimersByTimeAsync(1_000);
      expect(runs).toBe(expectedRuns);
      void periodicTask.stop();
    });

    it('has one timer however often it is started', async () => {
      let runs = 0;
      const periodicTask = new PeriodicTask('test', 250, () => void runs++);
      periodicTask.start();
      periodicTask.start();
      await jest.advanceTimersByTimeAsync(250);
      expect(runs).toBe(1);
      await periodicTask.stop();
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  it('stops when the run that is under way has ended, and starts no other', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const periodicTask = new PeriodicTask('test', 60_000, () => {
      runs++;
      return new Promise<boolean>((resolve) => (finish = () => resolve(true)));
    });
    periodicTask.trigger();
    const stopped = periodicTask.stop();
    finish();
    await stopped;
    periodicTask.trigger();
    expect(runs).toBe(1);
  });
});
