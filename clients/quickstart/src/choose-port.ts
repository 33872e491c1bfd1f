import { connect, createServer, type AddressInfo } from 'node:net';

export const LOOPBACK_HOST = '127.0.0.1';

export interface ChosenPort {
  port: number;
  /** Why the preferred port was not chosen; null when it was. */
  fallbackReason: string | null;
}

/** Returns the preferred port when it is available, otherwise a free one. */
export async function choosePort(preferredPort: number): Promise<ChosenPort> {
  // Some systems let two processes listen on one port when one of them listens on all addresses, so connect first.
  const errorCode = (await isPortInUse(preferredPort)) ? 'EADDRINUSE' : await findListenError(preferredPort);
  if (errorCode === null)
    return { port: preferredPort === 0 ? await findUnusedPort() : preferredPort, fallbackReason: null };
  const reason = errorCode === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${errorCode})`;
  return { port: await findUnusedPort(), fallbackReason: `Port ${preferredPort} ${reason}` };
}

function isPortInUse(port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK_HOST });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function findListenError(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, LOOPBACK_HOST, () => server.close(() => resolve(null)));
  });
}

function findUnusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, LOOPBACK_HOST, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
