import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runWithTimeLimit } from './time-limit';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('work with a time limit', () => {
  const never = new AbortController().signal;
  const untilAborted = (signal: AbortSignal) => sleep(10_000, undefined, { signal });

  it.each([false, true])('is aborted when the time is over (garbage collected: %s)', async (isCollected) => {
    const work = runWithTimeLimit(100, never, untilAborted);
    if (isCollected) collectGarbage();
    await expect(work).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is aborted by the source, also by one that was aborted before', async () => {
    const source = new AbortController();
    const work = runWithTimeLimit(10_000, source.signal, untilAborted);
    source.abort(new Error('stopped'));
    await expect(work).rejects.toThrow('stopped');
    await expect(runWithTimeLimit(10_000, source.signal, untilAborted)).rejects.toThrow('stopped');
  });

  it.each([false, true])('leaves a signal that nothing aborts (garbage collected: %s)', async (isCollected) => {
    const source = new AbortController();
    const signal = await runWithTimeLimit(50, source.signal, (own) => Promise.resolve(own));
    if (isCollected) collectGarbage();
    source.abort();
    await sleep(150);
    expect(signal.aborted).toBe(false);
  });
});
