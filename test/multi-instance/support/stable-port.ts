import { createServer } from 'node:net';

/** Below the range of ports that Linux uses for outgoing connections. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
/** Each worker of a run has its own ports, because a port is free for others while its server restarts. */
const MAX_WORKERS = 8;
const PORTS_PER_WORKER = PORT_COUNT / MAX_WORKERS;
const FIRST_OWN_PORT = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 1) % MAX_WORKERS) * PORTS_PER_WORKER;

/** Returns a free port that outgoing connections don't use, so that it stays free while its server restarts. */
export async function findStablePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_OWN_PORT + Math.floor(Math.random() * PORTS_PER_WORKER);
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
