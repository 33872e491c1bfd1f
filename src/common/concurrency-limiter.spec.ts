import { ConcurrencyLimiter, ConcurrencyQueueFullError } from './concurrency-limiter';

/** Work that ends when the test resolves it. */
function createDeferredWork() {
  let complete: () => void = () => undefined;
  const completion = new Promise<void>((resolve) => (complete = resolve));
  return { work: () => completion, finish: complete };
}

const nextTick = () => new Promise(setImmediate);

describe('ConcurrencyLimiter', () => {
  it('runs at most the given number of tasks at a time, in the order of their calls', async () => {
    const concurrencyLimiter = new ConcurrencyLimiter(2);
    const started: number[] = [];
    const works = Array.from({ length: 5 }, () => createDeferredWork());
    const runs = works.map(({ work }, n) => concurrencyLimiter.runLimited(() => (started.push(n), work())));
    await nextTick();
    expect(started).toEqual([0, 1]);
    works[1]!.finish();
    await nextTick();
    expect(started).toEqual([0, 1, 2]);
    for (const { finish } of works) finish();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('passes the slot of a failed task to the next one', async () => {
    const concurrencyLimiter = new ConcurrencyLimiter(1);
    const failing = concurrencyLimiter.runLimited(() => Promise.reject(new Error('broken')));
    const next = concurrencyLimiter.runLimited(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('throws immediately when the queue is full', async () => {
    const concurrencyLimiter = new ConcurrencyLimiter(1, 1);
    const { work, finish } = createDeferredWork();
    const first = concurrencyLimiter.runLimited(work);
    const second = concurrencyLimiter.runLimited(() => Promise.resolve('second'));
    await expect(concurrencyLimiter.runLimited(work)).rejects.toThrow(ConcurrencyQueueFullError);
    finish();
    await first;
    expect(await second).toBe('second');
    expect(await concurrencyLimiter.runLimited(() => Promise.resolve('later'))).toBe('later');
  });
});
