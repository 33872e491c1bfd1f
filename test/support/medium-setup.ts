import { connect } from 'node:net';
import { POSTGRES_URL, REDIS_URL } from './backend';
import makeEmbeddedTemplate from './embedded-template';
import { ensureBuilt } from './ensure-built';

/** Builds the service, makes a migrated data folder to copy, and looks which services this machine has. */
export default async function setup(): Promise<void> {
  await lookForServices();
  await ensureBuilt();
  if (!process.env.TEST_EMBEDDED_TEMPLATE) await makeEmbeddedTemplate();
  process.env.TEST_MEDIUM_TEMPLATE = process.env.TEST_EMBEDDED_TEMPLATE;
}

async function lookForServices(): Promise<void> {
  const missing: string[] = [];
  if (!(await answers(POSTGRES_URL, 5432))) missing.push('PostgreSQL');
  if (!(await answers(REDIS_URL, 6379))) missing.push('Redis');
  process.env.TEST_MISSING_SERVICES = missing.join(',');
  if (missing.length === 0) return;
  const line = `Left out: the medium suites that need ${missing.join(' and ')}. To run them: docker compose up -d postgres redis`;
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(line);
  process.stdout.write(`${line}\n`);
}

function answers(url: string, fallbackPort: number): Promise<boolean> {
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
