import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../../../../migrations';
import { getMigrationState } from '../migrate-postgres';
import { PostgresClient } from '../postgres-client';
import { readLiveSchema, type SchemaSnapshot } from './schema-catalog';
import { findSchemaDifferences, type SchemaDifference } from './schema-drift';

/** Schema after all migrations, which `npm run generate` writes from the embedded database. */
const SNAPSHOT_FILE = join(__dirname, '..', '..', '..', '..', 'migrations', 'schema.json');

/** Thrown if the database doesn't have exactly the migrations of this build, so that nothing can be compared. */
export class OtherMigrationsError extends Error {
  constructor(advice: string, names: readonly string[]) {
    super(`The schema can only be compared with the release that migrated it. ${advice}: ${names.join(', ')}.`);
    this.name = 'OtherMigrationsError';
  }
}

/**
 * Compares the database with the schema that the migrations of this build define. Changes nothing, and locks nothing
 * that others wait for.
 * @throws OtherMigrationsError
 */
export async function checkSchema(url: string): Promise<SchemaDifference[]> {
  const { applied, pending } = await getMigrationState(url);
  if (pending.length > 0) throw new OtherMigrationsError('Run the command "migrate" first; pending', pending);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new OtherMigrationsError('Use the image of the later release, which has', unknown);
  const client = new PostgresClient({ connectionString: url, application_name: 'external-api schema check' });
  await client.connect();
  try {
    const live = await readLiveSchema(async (sql) => (await client.query<object>(sql)).rows);
    return findSchemaDifferences(readExpectedSchema(), live);
  } finally {
    await client.end();
  }
}

function readExpectedSchema(): SchemaSnapshot {
  return JSON.parse(readFileSync(SNAPSHOT_FILE, 'utf8')) as SchemaSnapshot;
}
