import { connect } from 'node:net';
import { POSTGRES_URL, REDIS_URL } from './backend';
import provideEmbeddedTemplate from './embedded-template';
import providePostgresTemplate from './postgres-template';

/** Builds the service, provides a migrated data folder and database to copy, and checks what services are available. */
export default async function setUpMediumTests(): Promise<void> {
  await detectMissingServices();
  await provideEmbeddedTemplate();
  if (!process.env.TEST_MISSING_SERVICES!.includes('PostgreSQL')) await providePostgresTemplate();
}

async function detectMissingServices(): Promise<void> {
  const missing: string[] = [];
  if (!(await acceptsConnections(POSTGRES_URL, 5432))) missing.push('PostgreSQL');
  if (!(await acceptsConnections(REDIS_URL, 6379))) missing.push('Redis');
  process.env.TEST_MISSING_SERVICES = missing.join(',');
  if (missing.length === 0) return;
  const suites = `the medium suites that need ${missing.join(' and ')}`;
  const line = `Skipped: ${suites}. To run them: docker compose up -d postgres redis`;
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(line);
  process.stdout.write(`${line}\n`);
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
