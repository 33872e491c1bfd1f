import type { Command } from 'commander';
import { loadConfig } from '../../core/config';
import { getMigrationState, migratePostgres, revertLastMigration } from '../../core/database';

interface MigrateOptions {
  status?: true;
  revert?: true;
}

/** Adds the command that migrates the database without starting the service, for MIGRATE_ON_START=false. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Run pending migrations, and print the names of those that were run')
    .option('--status', 'only print the applied and the pending migrations')
    .option('--revert', 'revert the last migration instead')
    .action(migrateDatabase);
}

async function migrateDatabase({ status, revert }: MigrateOptions, command: Command): Promise<void> {
  if (status && revert) command.error('error: --status and --revert exclude each other');
  const { database } = loadConfig();
  if (database.kind === 'embedded') throw new Error('The embedded database is migrated when the service starts.');
  const { migrationUrl } = database;
  if (status) writeJson(await getMigrationState(migrationUrl));
  else if (revert) writeJson({ reverted: await revertLastMigration(migrationUrl) });
  else writeJson({ applied: await migratePostgres(migrationUrl) });
}

function writeJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
