/** Redis did not answer in time; whether it carried the command out is not known. */
export class RedisSilence extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms.`);
    this.name = 'RedisSilence';
  }
}

/**
 * The answer to a command, or `RedisSilence`. Where this process itself stood still, what came meanwhile is read before
 * the time is called up: a busy moment is no silence. Every call passes here, so it takes a bare timer: one that is
 * aborted makes an error with a stack each time (docs/decisions/0024).
 */
export function answered<T>(command: Promise<T>, withinMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new RedisSilence(withinMs));
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), withinMs).unref();
    const settled =
      <A>(settle: (outcome: A) => void) =>
      (outcome: A) => {
        clearTimeout(timer);
        settle(outcome);
      };
    command.then(settled(resolve), settled(reject));
  });
}
