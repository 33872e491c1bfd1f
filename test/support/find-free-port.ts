import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems choose for outgoing connections, one of which could take it before it is used. */
const [FIRST, LAST] = [10_000, 32_000];
/** Files that run at the same time have ports of their own, since a port is used a while after it was found. */
const SHARES = 8;
const SHARE = Math.floor((LAST - FIRST) / SHARES);
const START = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % SHARES) * SHARE;
const found = new Set<number>();

/** Returns a port that nobody uses, each port once. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(START, START + SHARE);
    if (found.has(port) || !(await isFree(port))) continue;
    found.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
