import { setImmediate } from 'node:timers/promises';
import { ConformanceError } from '../../support/conformance';
import { countStatuses, TrafficGenerator } from './traffic-generator';

/** Starts a caller whose calls fail with these errors, and from then on with the last one. Waits for `count` calls. */
async function generateFailures(errors: readonly Error[], count: number): Promise<TrafficGenerator> {
  let calls = 0;
  const traffic = new TrafficGenerator(async () => {
    await setImmediate();
    throw errors[Math.min(calls++, errors.length - 1)]!;
  }, 1);
  while (traffic.calls.length < count) await setImmediate();
  return traffic;
}

describe('TrafficGenerator', () => {
  it('reports the first response that violates the document, instead of a missing response', async () => {
    const errors = [new TypeError('fetch failed'), new ConformanceError('first'), new ConformanceError('second')];
    await expect((await generateFailures(errors, 4)).stopCallers()).rejects.toThrow('first');
  });

  it('counts failed connections as status 0', async () => {
    const calls = await (await generateFailures([new TypeError('fetch failed')], 2)).stopCallers();
    expect(countStatuses(calls)).toEqual({ 0: calls.length });
  });
});
