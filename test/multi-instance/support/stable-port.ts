import { createServer } from 'node:net';

/** Below the range of ports that Linux uses for outgoing connections. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;

/** Returns a free port that outgoing connections don't use, so that it stays free while its server restarts. */
export async function findStablePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (!usedPorts.has(port) && (await isPortFree(port))) {
      usedPorts.add(port);
      return port;
    }
  }
  throw new Error('No port is free.');
}

const usedPorts = new Set<number>();

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
