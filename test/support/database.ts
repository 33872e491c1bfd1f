import { DataSource } from 'typeorm';
import type { Service } from './service';
import { waitFor } from './wait-for';

const TABLES_SQL = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;

/**
 * Tables with usage counts, audit rows, heartbeats, turns of periodic tasks and the log of events, which also change
 * after rejected calls: periodic tasks publish events, too.
 */
const BOOKKEEPING_TABLES = /^(usage_counts|relay_calls|instances|task_turns|event_usage|event_log.*)$/;

/** Returns a digest of every table's rows. Two images are equal if only bookkeeping was written in between. */
export async function readTableDigests(service: Service): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const name of await listTables(service)) {
    if (BOOKKEEPING_TABLES.test(name)) continue;
    const [row] = await queryDatabase<{ digest: string }>(
      service,
      `SELECT count(*) || ':' || coalesce(md5(string_agg(t::text, ' ' ORDER BY t::text)), '') AS digest
         FROM "${name}" t`,
    );
    digests[name] = row!.digest;
  }
  return digests;
}

/** Returns the tables that contain this text in any column, including bytea and jsonb columns. */
export async function findTablesContaining(service: Service, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await listTables(service)) {
    const [row] = await queryDatabase<{ containsText: boolean }>(
      service,
      `SELECT EXISTS (SELECT 1 FROM "${name}" t
          WHERE strpos(t::text, $1) > 0 OR strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0)
          AS "containsText"`,
      [text],
    );
    if (row!.containsText) found.push(name);
  }
  return found;
}

/** Waits until the records of all deleted accounts are deleted. */
export async function waitForAccountCleanup(service: Service): Promise<void> {
  const pending = () => queryDatabase(service, 'SELECT id FROM accounts WHERE deleted_at IS NOT NULL');
  await waitFor(async () => expect(await pending()).toEqual([]), 20_000);
}

export function queryDatabase<Row>(service: Service, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  return service.app.get(DataSource, { strict: false }).query(sql, parameters);
}

async function listTables(service: Service): Promise<string[]> {
  return (await queryDatabase<{ name: string }>(service, TABLES_SQL)).map((row) => row.name);
}
