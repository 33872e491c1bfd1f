import { RedisTimeoutError, withTimeout } from './redis-timeout';

const TIMEOUT_MS = 50;

/** Blocks the event loop for longer than the timeout. */
function blockEventLoop(): void {
  const until = performance.now() + 2 * TIMEOUT_MS;
  while (performance.now() < until);
}

/** A command that the client writes at the end of this iteration of the event loop. Redis answers a moment later. */
const sendCommand = (): Promise<string> =>
  new Promise((resolve) => setImmediate(() => setTimeout(() => resolve('OK'), 1)));

describe('withTimeout', () => {
  it('rejects when a command is not answered in time', async () => {
    await expect(withTimeout(new Promise(() => undefined), TIMEOUT_MS)).rejects.toThrow(RedisTimeoutError);
  });

  it('settles like the command', async () => {
    await expect(withTimeout(sendCommand(), TIMEOUT_MS)).resolves.toBe('OK');
    await expect(withTimeout(Promise.reject(new Error('WRONGTYPE')), TIMEOUT_MS)).rejects.toThrow('WRONGTYPE');
  });

  it('waits for the answer to a command that a blocked event loop has written late', async () => {
    const answer = withTimeout(sendCommand(), TIMEOUT_MS);
    blockEventLoop();
    await expect(answer).resolves.toBe('OK');
  });

  it('waits for the answer to a command that follows one whose answer a blocked event loop has read late', async () => {
    const answer = withTimeout(
      sendCommand().then(() => (blockEventLoop(), sendCommand())),
      TIMEOUT_MS,
    );
    blockEventLoop();
    await expect(answer).resolves.toBe('OK');
  });
});
