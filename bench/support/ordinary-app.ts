import { Client } from 'pg';
import { generateId } from '../../src/common/ids';
import { generateSecretToken, hashSecretToken } from '../../src/common/secret-token';
import type { BenchCleanup } from '../benchmark-row';
import { BenchProcess } from './bench-process';
import type { MeasuredParts } from './call-cpu';
import { startDedicatedBackend } from './dedicated-backend';
import { listBackendParts } from './dedicated-fixture';
import type { BenchMachine } from './machines';

/** Instances of the ordinary Nest app with PostgreSQL and Redis of their own. */
export interface OrdinaryApp {
  urls: string[];
  /** Access token of the only account. */
  token: string;
  machines: BenchMachine[];
  measuredParts: MeasuredParts;
}

export async function startOrdinaryApp(
  benchCleanup: BenchCleanup,
  instances: number,
  machineCount: number,
): Promise<OrdinaryApp> {
  const backend = await startDedicatedBackend([]);
  benchCleanup.add({ stop: () => backend.dispose() });
  const processes: BenchProcess[] = [];
  const urls: string[] = [];
  for (let n = 0; n < instances; n++) {
    // The first instance creates the tables.
    const env = { ...backend.env, SYNCHRONIZE: String(n === 0) };
    const benchProcess = benchCleanup.add(BenchProcess.start('bench/peers/ordinary-nest/main.ts', env));
    processes.push(benchProcess);
    urls.push(`http://127.0.0.1:${await benchProcess.waitForMember<number>('port')}`);
  }
  const token = generateSecretToken('svc_pat_');
  const machines = Array.from({ length: machineCount }, () => ({
    machineId: generateId('mch'),
    token: generateSecretToken('svc_dev_'),
  }));
  await insertAccount(backend.postgres.url, token, machines);
  const measuredParts = { service: () => processes.map(({ pid }) => pid), ...listBackendParts(backend) };
  return { urls, token, machines, measuredParts };
}

async function insertAccount(databaseUrl: string, token: string, machines: BenchMachine[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const accountId = generateId('acc');
    const scopes = ['sessions:read', 'machines:read', 'machines:invoke', 'usage:read'];
    await client.query(`INSERT INTO app_accounts (id, username) VALUES ($1, 'user-651a7ad6efa6')`, [accountId]);
    await client.query(
      `INSERT INTO app_tokens (id, hash, name, scopes, account_id) VALUES ($1, $2, 'a test token', $3, $4)`,
      [generateId('tok'), hashSecretToken(token), scopes, accountId],
    );
    await client.query(
      `INSERT INTO app_machines (id, token_hash, account_id)
       SELECT m.id, m.hash, $1 FROM unnest($2::text[], $3::bytea[]) m (id, hash)`,
      [accountId, machines.map(({ machineId }) => machineId), machines.map((each) => hashSecretToken(each.token))],
    );
  } finally {
    await client.end();
  }
}
