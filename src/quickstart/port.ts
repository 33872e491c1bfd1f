import { connect, createServer, type AddressInfo } from 'node:net';

export const LOOPBACK = '127.0.0.1';

export interface ChosenPort {
  port: number;
  /** Why it is not the one that was wanted; null when it is. */
  instead: string | null;
}

/** The wanted port where it can be had, else a free one. */
export async function choosePort(wanted: number): Promise<ChosenPort> {
  // Some systems let two listen on one port when one of them listens on all addresses: asking is surer.
  const fault = (await isServed(wanted)) ? 'EADDRINUSE' : await faultOf(wanted);
  if (fault === null) return { port: wanted === 0 ? await freePort() : wanted, instead: null };
  const reason = fault === 'EADDRINUSE' ? 'is taken' : `cannot be opened (${fault})`;
  return { port: await freePort(), instead: `Port ${wanted} ${reason}` };
}

function isServed(port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function faultOf(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(null)));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
