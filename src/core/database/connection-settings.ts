import type { ClientBase } from 'pg';

/**
 * Settings on which statements rely, whatever a server, database or role sets. Times have theirs from the start
 * (postgres-client.ts). `default_transaction_read_only` is not among them: providers set it to stop writes.
 */
const STATEMENT_SETTINGS: Record<string, string> = {
  bytea_output: 'hex',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  IntervalStyle: 'postgres',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
};

/**
 * Timeouts. PostgreSQL ends the session of an unresponsive client, so that its transactions and locks don't outlive a
 * lost connection. `statement_timeout` limits every wait for a lock, and the pool decides how long sessions are idle.
 */
const TIMEOUTS: Record<string, string> = {
  idle_in_transaction_session_timeout: '30s',
  idle_session_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '60s',
};

/**
 * Applied after connecting, because PgBouncer rejects unknown start-up parameters. Leaves out settings that a release
 * of PostgreSQL doesn't have. Returns those of `$3` whose default in this database differs, as `name = 'value'`.
 */
const APPLY_SETTINGS_SQL = `
  SELECT pid, backend_start::text AS "startedAt",
         (SELECT count(set_config(name, value, false))
            FROM unnest($1::text[], $2::text[]) AS required (name, value) JOIN pg_settings USING (name)),
         (SELECT coalesce(array_agg(format('%s = %L', name, value) ORDER BY name), '{}')
            FROM unnest($1::text[], $2::text[]) AS required (name, value) JOIN pg_settings USING (name)
           WHERE name = ANY($3) AND reset_val <> value) AS "differingDefaults"
    FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/** Server process of a session. The start time distinguishes it from later processes with the same id. */
export interface PostgresBackend {
  pid: number;
  startedAt: string;
}

/** Session after its settings were applied. */
export interface ConfiguredSession extends PostgresBackend {
  /** Settings on which statements rely, and which the database or role sets otherwise by default. */
  differingDefaults: string[];
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
 * @param statementTimeoutSeconds seconds after which PostgreSQL cancels a statement. Without it, as in programs whose
 *   statements may take long, all timeouts stay those of the role: a pooler may share the session with instances.
 */
export async function applyConnectionSettings(
  client: ClientBase,
  statementTimeoutSeconds?: number,
): Promise<ConfiguredSession> {
  const settings = {
    ...STATEMENT_SETTINGS,
    ...(statementTimeoutSeconds && { ...TIMEOUTS, statement_timeout: `${statementTimeoutSeconds}s` }),
  };
  const { rows } = await client.query<ConfiguredSession>(APPLY_SETTINGS_SQL, [
    Object.keys(settings),
    Object.values(settings),
    Object.keys(STATEMENT_SETTINGS),
  ]);
  const { pid, startedAt, differingDefaults } = rows[0]!;
  return { pid, startedAt, differingDefaults };
}
