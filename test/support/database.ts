import { DataSource } from 'typeorm';
import type { Service } from './service';

const TABLES = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;

/** Counts and audit rows, written behind the answers of refused calls too, and the process's own signs of life. */
const BOOKKEEPING = ['usage_counts', 'relay_calls', 'instances'];

/** A digest of every table's rows: two images are equal when nothing but bookkeeping was written in between. */
export async function databaseImage(service: Service): Promise<Record<string, string>> {
  const image: Record<string, string> = {};
  for (const name of await tables(service)) {
    if (BOOKKEEPING.includes(name)) continue;
    const [row] = await query<{ digest: string }>(
      service,
      `SELECT count(*) || ':' || coalesce(md5(string_agg(t::text, ' ' ORDER BY t::text)), '') AS digest FROM "${name}" t`,
    );
    image[name] = row!.digest;
  }
  return image;
}

/** The tables that hold this text in any column, in bytea and jsonb ones too. */
export async function tablesHolding(service: Service, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tables(service)) {
    const [row] = await query<{ held: boolean }>(
      service,
      `SELECT EXISTS (SELECT 1 FROM "${name}" t
          WHERE strpos(t::text, $1) > 0 OR strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0) AS held`,
      [text],
    );
    if (row!.held) found.push(name);
  }
  return found;
}

export function query<Row>(service: Service, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  return service.app.get(DataSource, { strict: false }).query(sql, parameters);
}

async function tables(service: Service): Promise<string[]> {
  return (await query<{ name: string }>(service, TABLES)).map((row) => row.name);
}
