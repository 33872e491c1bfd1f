import type { Client } from 'pg';

interface RequiredColumn {
  name: string;
  type: string;
  /** Definition of a check of this column alone, if there is one. */
  check: string | null;
}

/** Statement that inserts the rows $1 to $2 into a table, and one that rewrites row $1. */
export interface RowStatements {
  table: string;
  insertSql: string;
  updateSql: string;
}

/** Values of columns that a check of several columns requires. */
const OTHER_VALUES: Record<string, Record<string, string>> = { key_grants: { session_id: "'row-' || i" } };

const REQUIRED_COLUMNS = `
  SELECT attname AS name, format_type(atttypid, NULL) AS type,
         (SELECT pg_get_constraintdef(oid) FROM pg_constraint
           WHERE conrelid = attrelid AND contype = 'c' AND conkey = ARRAY[attnum] LIMIT 1) AS check
    FROM pg_attribute
   WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef
   ORDER BY attnum`;

/**
 * Builds statements for any table from the catalog: row `i` has the text `row-i` in each required column. For sessions
 * with `session_replication_role = replica`, which don't check foreign keys.
 */
export async function buildRowStatements(client: Client, table: string): Promise<RowStatements> {
  const { rows } = await client.query<RequiredColumn>(REQUIRED_COLUMNS, [table]);
  const values = { ...Object.fromEntries(rows.map((row) => [row.name, valueOf(row)])), ...OTHER_VALUES[table] };
  const [key] = rows;
  return {
    table,
    insertSql: `INSERT INTO ${table} (${Object.keys(values).join(', ')})
      SELECT ${Object.values(values).join(', ')} FROM generate_series($1::integer, $2::integer) i`,
    updateSql: `UPDATE ${table} SET ${rows.at(-1)!.name} = ${rows.at(-1)!.name}
      WHERE ${key!.name} = (SELECT ${valueOf(key!)} FROM (SELECT $1::integer AS i) one)`,
  };
}

function valueOf({ type, check }: RequiredColumn): string {
  const firstChoice = check && /'([^']+)'/.exec(check)?.[0];
  if (firstChoice) return firstChoice;
  const value = {
    text: `'row-' || i`,
    jsonb: `'{}'::jsonb`,
    bytea: `convert_to('row-' || i, 'UTF8')`,
    boolean: 'false',
    'timestamp with time zone': 'now()',
    'text[]': `'{}'::text[]`,
    integer: 'i',
    bigint: 'i',
  }[type];
  if (!value) throw new Error(`test/support/generic-rows.ts has no value of the type ${type}`);
  return value;
}
