import { connect } from 'node:net';
import { POSTGRES_URL, REDIS_URL } from './backend';

/** Returns which of PostgreSQL and Redis accept no connection. */
export async function listMissingServices(): Promise<string[]> {
  const missing: string[] = [];
  if (!(await acceptsConnections(POSTGRES_URL, 5432))) missing.push('PostgreSQL');
  if (!(await acceptsConnections(REDIS_URL, 6379))) missing.push('Redis');
  return missing;
}

function acceptsConnections(url: string, fallbackPort: number): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || fallbackPort), timeout: 1_000 });
    const done = (up: boolean) => {
      socket.destroy();
      resolve(up);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}
