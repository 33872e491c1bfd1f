import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems choose for outgoing connections, one of which could take it before it is used. */
const [FIRST, LAST] = [10_000, 32_000];

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
