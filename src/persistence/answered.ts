import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Redis did not answer in time; whether it carried the command out is not known. */
export class RedisSilence extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms.`);
    this.name = 'RedisSilence';
  }
}

/**
 * The answer to a command, or `RedisSilence`. Where this process itself stood still, what came meanwhile is read before
 * the time is called up: a busy moment is no silence.
 */
export async function answered<T>(command: Promise<T>, withinMs: number): Promise<T> {
  const timer = new AbortController();
  try {
    return await Promise.race([command, silence(withinMs, timer.signal)]);
  } finally {
    timer.abort();
  }
}

async function silence(ms: number, signal: AbortSignal): Promise<never> {
  await sleep(ms, undefined, { signal, ref: false });
  await nextTurn();
  await nextTurn();
  throw new RedisSilence(ms);
}
