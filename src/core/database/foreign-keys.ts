import type { UnitOfWork } from './unit-of-work';

/** Reference of one column to the `id` of a table, and what the deletion of the referenced row does. */
export interface ForeignKey {
  /** Table and column that refer, quoted if necessary. */
  table: string;
  column: string;
  referencedTable: string;
  onDelete: 'cascade' | 'set null';
}

/**
 * Reads the foreign keys of the schema, so that new tables need no list. Leaves out those that restrict deletions, and
 * those with several columns.
 */
export function readForeignKeys(unitOfWork: UnitOfWork): Promise<ForeignKey[]> {
  return unitOfWork.queryRows<ForeignKey>(
    `SELECT c.conrelid::regclass::text AS "table", quote_ident(a.attname) AS "column",
            c.confrelid::regclass::text AS "referencedTable",
            CASE c.confdeltype WHEN 'c' THEN 'cascade' ELSE 'set null' END AS "onDelete"
       FROM pg_constraint c
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       JOIN pg_attribute r ON r.attrelid = c.confrelid AND r.attnum = c.confkey[1] AND r.attname = 'id'
      WHERE c.contype = 'f' AND c.confdeltype IN ('c', 'n') AND cardinality(c.conkey) = 1 AND c.conparentid = 0
        AND c.connamespace = current_schema()::regnamespace
      ORDER BY 1, 2`,
  );
}

/** Sorts foreign keys so that a table comes before the tables that it refers to. */
export function sortByDependency(foreignKeys: readonly ForeignKey[]): ForeignKey[] {
  const tables = new Set<string>();
  const visitTable = (table: string, path: readonly string[]): void => {
    if (tables.has(table) || path.includes(table)) return;
    for (const { table: referring } of getReferences(foreignKeys, table)) visitTable(referring, [...path, table]);
    tables.add(table);
  };
  for (const { referencedTable, table } of foreignKeys) {
    visitTable(referencedTable, []);
    visitTable(table, []);
  }
  const order = [...tables];
  return [...foreignKeys].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
}

/** Returns the foreign keys that refer to the table. */
export function getReferences(foreignKeys: readonly ForeignKey[], table: string): ForeignKey[] {
  return foreignKeys.filter(({ referencedTable }) => referencedTable === table);
}
