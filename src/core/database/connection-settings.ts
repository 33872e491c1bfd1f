import type { ClientBase } from 'pg';

/**
 * Timeouts after which PostgreSQL ends the session of an unresponsive client, so that its transactions and locks don't
 * outlive a lost connection. Set after connecting, because PgBouncer rejects unknown start-up parameters.
 */
const CONNECTION_SETTINGS: Record<string, string> = {
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '60s',
};

const APPLY_SETTINGS_SQL = `
  SELECT pid, backend_start::text AS "startedAt",
         (SELECT count(set_config(name, value, false)) FROM unnest($1::text[], $2::text[]) AS setting (name, value))
    FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/** Server process of a session. The start time distinguishes it from later processes with the same id. */
export interface PostgresBackend {
  pid: number;
  startedAt: string;
}

/** Terminates these backends and waits up to two seconds for each. Spares later backends that reuse a process id. */
export async function terminateBackends(client: ClientBase, backends: readonly PostgresBackend[]): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
      WHERE (pid, backend_start::text) IN (SELECT * FROM unnest($1::int[], $2::text[]))`,
    [backends.map(({ pid }) => pid), backends.map(({ startedAt }) => startedAt)],
  );
}

/**
 * Applies the settings to the session.
 * @param statementTimeoutSeconds seconds after which PostgreSQL cancels a statement
 * @returns the backend of the session
 */
export async function applyConnectionSettings(
  client: ClientBase,
  statementTimeoutSeconds: number,
): Promise<PostgresBackend> {
  const settings = { ...CONNECTION_SETTINGS, statement_timeout: `${statementTimeoutSeconds}s` };
  const { rows } = await client.query<PostgresBackend>(APPLY_SETTINGS_SQL, [
    Object.keys(settings),
    Object.values(settings),
  ]);
  const { pid, startedAt } = rows[0]!;
  return { pid, startedAt };
}
