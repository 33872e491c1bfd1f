import { createServer } from 'node:net';

/** Below the range from which Linux takes the ports of outgoing connections. */
const FIRST = 20_000;
const COUNT = 12_000;

/** A free port that stays free while its server restarts: no outgoing connection of this machine takes it. */
export async function stablePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
  throw new Error('There is no free port.');
}

const given = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
