import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

const BUILD_POLL_MS = 1_000;

/** Index of a table that may be large. Names and expressions are SQL of the migration, never input. */
export interface ConcurrentIndex {
  name: string;
  table: string;
  /** Columns, without parentheses. */
  columns: string;
  unique?: true;
  /** Defaults to a b-tree. */
  method?: 'brin';
  /** Condition of a partial index. */
  where?: string;
}

/**
 * Creates an index while others write to its table. The migration must set `transaction = false`, since PostgreSQL
 * refuses CONCURRENTLY in a transaction. Accepts the valid index of an attempt that was killed before it was recorded,
 * also if PostgreSQL is still building it, and drops the invalid one that a failed attempt left.
 */
export async function createIndexConcurrently(runner: QueryRunner, index: ConcurrentIndex): Promise<void> {
  const { name, table, columns, unique, method = 'btree', where } = index;
  const creation = `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${concurrently(runner)} ${name} ON ${table} `;
  // Within a transaction, pg_stat_activity doesn't change.
  if (!runner.isTransactionActive) await waitForSessions(runner, creation);
  const [existing] = (await runner.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  )) as { valid: boolean }[];
  if (existing?.valid) return;
  if (existing) await dropIndexConcurrently(runner, name);
  await runner.query(`${creation}USING ${method} (${columns})` + (where ? ` WHERE ${where}` : ''));
}

/**
 * Waits until no other session runs a statement that begins like this one. PostgreSQL builds an index to its end after
 * the client was killed. Doesn't ask pg_stat_progress_create_index, which has no row for a build any more while the
 * commit that makes the index valid is under way.
 */
async function waitForSessions(runner: QueryRunner, statement: string): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND starts_with(query, '${statement}')`;
  while (((await runner.query(sql)) as unknown[]).length > 0) await sleep(BUILD_POLL_MS);
}

/** Drops an index, if it exists, while others read and write its table. */
export async function dropIndexConcurrently(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX ${concurrently(runner)} IF EXISTS ${name}`);
}

/** TypeORM reverts in a transaction unless told otherwise. There, an index can only be changed with its table locked. */
function concurrently(runner: QueryRunner): string {
  return runner.isTransactionActive ? '' : 'CONCURRENTLY';
}
