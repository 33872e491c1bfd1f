/** Definitions of an object of the schema, such as `table messages`, by part, such as `column seq` or `index x`. */
export type SchemaObject = Record<string, string>;

/** Objects of a schema. The part `definition` is the object itself. */
export type SchemaSnapshot = Record<string, SchemaObject>;

/** Schema of a live database. */
export interface LiveSchema {
  snapshot: SchemaSnapshot;
  /** Names of indexes that PostgreSQL doesn't use, as `CREATE INDEX CONCURRENTLY` leaves them when it fails. */
  invalidIndexes: Set<string>;
}

interface CatalogRow {
  object: string;
  part: string;
  definition: string;
  invalidIndex: string | null;
}

export const OBJECT_DEFINITION = 'definition';

/**
 * Selects what the migrations define, as text that PostgreSQL 15 and later print alike. Leaves out objects of
 * extensions and the table of applied migrations. Daily partitions are made at run time and inherit their columns,
 * constraints and indexes, so only their parent is compared, with the name of its default partition.
 */
const CATALOG_SQL = `
  WITH own AS (SELECT oid AS id, nspname AS name FROM pg_namespace WHERE nspname = current_schema()),
  relations AS (
    SELECT c.*, own.name AS schema,
           CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'view ' WHEN 'S' THEN 'sequence ' ELSE 'table ' END
             || relname AS object
      FROM pg_class c JOIN own ON relnamespace = own.id
     WHERE relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND NOT relispartition
       AND relname NOT IN ('migrations', 'migrations_id_seq')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                        AND (d.deptype = 'e' OR relkind = 'S' AND d.deptype IN ('a', 'i')))
  ),
  tables AS (SELECT * FROM relations WHERE relkind IN ('r', 'p', 'f')),
  indexes AS (SELECT indexrelid AS id, NOT (indisvalid AND indisready) AS invalid FROM pg_index)
  SELECT object, 'definition' AS part, concat_ws(' ',
           CASE relpersistence WHEN 'u' THEN 'unlogged' END, CASE relkind WHEN 'f' THEN 'foreign' END, 'table',
           'partition by ' || pg_get_partkeydef(oid),
           'default partition ' || (SELECT nullif(partdefid, 0)::regclass FROM pg_partitioned_table
                                     WHERE partrelid = oid),
           CASE WHEN relrowsecurity THEN 'row level security' END) AS definition, NULL AS "invalidIndex"
    FROM tables
   UNION ALL
  SELECT object, 'definition', pg_get_viewdef(oid), NULL FROM relations WHERE relkind IN ('v', 'm')
   UNION ALL
  SELECT object, 'definition', format('%s increment %s from %s to %s%s', seqtypid::regtype, seqincrement, seqmin,
           seqmax, CASE WHEN seqcycle THEN ' cycle' END), NULL
    FROM relations JOIN pg_sequence ON seqrelid = oid
   UNION ALL
  SELECT object, 'column ' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
           CASE WHEN attcollation <> typcollation THEN 'COLLATE ' || attcollation::regcollation END,
           CASE WHEN attnotnull THEN 'NOT NULL' END,
           CASE WHEN attgenerated <> '' THEN 'GENERATED' WHEN atthasdef THEN 'DEFAULT' END,
           pg_get_expr(adbin, adrelid), CASE WHEN attidentity <> '' THEN 'IDENTITY' END), NULL
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    JOIN pg_type ON pg_type.oid = atttypid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   UNION ALL
  SELECT object, 'parameter ' || split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1), NULL
    FROM relations, unnest(reloptions) AS setting
   UNION ALL
  SELECT object, 'index ' || i.relname, replace(pg_get_indexdef(i.oid), format(' %I.', schema), ' '),
         CASE WHEN invalid THEN i.relname END
    FROM relations r JOIN pg_index ON indrelid = r.oid JOIN pg_class i ON i.oid = indexrelid
    JOIN indexes ON indexes.id = i.oid
   WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid AND contype IN ('p', 'u', 'x'))
   UNION ALL
  SELECT object, 'constraint ' || conname, concat_ws(' ', pg_get_constraintdef(k.oid),
           CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = k.oid AND tgenabled = 'D')
                THEN 'DISABLED' END),
         CASE WHEN invalid AND contype <> 'f' THEN conname END
    FROM tables JOIN pg_constraint k ON conrelid = tables.oid AND contype IN ('c', 'f', 'p', 'u', 'x')
    LEFT JOIN indexes ON indexes.id = conindid
   UNION ALL
  SELECT object, 'trigger ' || tgname, concat_ws(' ', pg_get_triggerdef(t.oid, true),
           CASE tgenabled WHEN 'D' THEN 'DISABLED' WHEN 'R' THEN 'REPLICA' WHEN 'A' THEN 'ALWAYS' END), NULL
    FROM relations JOIN pg_trigger t ON tgrelid = relations.oid AND NOT tgisinternal
   UNION ALL
  SELECT object, 'rule ' || rulename, pg_get_ruledef(w.oid), NULL
    FROM relations JOIN pg_rewrite w ON ev_class = relations.oid AND rulename <> '_RETURN'
   UNION ALL
  SELECT format('function %s(%s)', proname, pg_get_function_identity_arguments(p.oid)), 'definition',
         format('returns %s language %s%s as %s', pg_get_function_result(p.oid), lanname,
                CASE WHEN prosecdef THEN ' security definer' END, prosrc), NULL
    FROM pg_proc p JOIN own ON pronamespace = own.id JOIN pg_language l ON l.oid = prolang
   WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                      AND d.deptype = 'e')`;

/** Reads the schema of the first folder of the search path. */
export async function readLiveSchema(query: (sql: string) => Promise<unknown[]>): Promise<LiveSchema> {
  const rows = (await query(CATALOG_SQL)) as CatalogRow[];
  const snapshot: SchemaSnapshot = {};
  const keyOf = ({ object, part }: CatalogRow): string => `${object}\0${part}`;
  for (const row of rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
    (snapshot[row.object] ??= {})[row.part] = normalizeDefinition(row);
  const invalidIndexes = rows.flatMap(({ invalidIndex }) => invalidIndex ?? []);
  return { snapshot, invalidIndexes: new Set(invalidIndexes) };
}

/** Releases of PostgreSQL differ in the columns that they qualify in a view of one table. */
function normalizeDefinition({ object, definition }: CatalogRow): string {
  const text = definition.replace(/\s+/g, ' ').trim();
  if (!object.startsWith('view ')) return text;
  const table = / FROM (?:\w+\.)?(\w+);?$/.exec(text)?.[1];
  return table ? text.replaceAll(` ${table}.`, ' ') : text;
}
