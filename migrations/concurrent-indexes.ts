import type { QueryRunner } from 'typeorm';

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
 * refuses CONCURRENTLY in a transaction. Drops the invalid index that a failed or killed attempt left, and accepts the
 * valid one of an attempt that was killed before it was recorded.
 */
export async function createIndexConcurrently(runner: QueryRunner, index: ConcurrentIndex): Promise<void> {
  const { name, table, columns, unique, method = 'btree', where } = index;
  const [existing] = (await runner.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  )) as { valid: boolean }[];
  if (existing?.valid) return;
  if (existing) await dropIndexConcurrently(runner, name);
  await runner.query(
    `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${concurrently(runner)} ${name} ON ${table} USING ${method} (${columns})` +
      (where ? ` WHERE ${where}` : ''),
  );
}

/** Drops an index, if it exists, while others read and write its table. */
export async function dropIndexConcurrently(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX ${concurrently(runner)} IF EXISTS ${name}`);
}

/** TypeORM reverts in a transaction unless told otherwise. There, an index can only be changed with its table locked. */
function concurrently(runner: QueryRunner): string {
  return runner.isTransactionActive ? '' : 'CONCURRENTLY';
}
