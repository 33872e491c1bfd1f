import { Pool, type ClientConfig } from 'pg';
import { DatabaseConnectionError, isDatabaseUnavailable } from './database-unavailable';
import { PostgresClient } from './postgres-client';

const NOBODY_LISTENS = { host: '127.0.0.1', port: 1 };
const MISSING_FILE = { connectionString: 'postgres://127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/missing/ca.crt' };

describe('PostgresClient', () => {
  it.each<[string, ClientConfig, string]>([
    ['a server that does not listen', NOBODY_LISTENS, 'ECONNREFUSED'],
    ['a missing TLS file', MISSING_FILE, 'ENOENT: no such file or directory, open '],
  ])('reports %s when it connects, as unavailability', async (_what, config, reason) => {
    const thrown: unknown = await new PostgresClient(config).connect().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DatabaseConnectionError);
    expect((thrown as Error).message).toContain(reason);
    expect(isDatabaseUnavailable(thrown)).toBe(true);
  });

  it('reports a missing TLS file to each caller of a pool, also to those that wait for a connection', async () => {
    const pool = new Pool({ ...MISSING_FILE, Client: PostgresClient, max: 1 });
    const results = await Promise.allSettled([pool.connect(), pool.connect(), pool.connect()]);
    for (const result of results) {
      expect(result).toEqual({ status: 'rejected', reason: expect.any(DatabaseConnectionError) as unknown });
    }
    await pool.end();
  });
});
