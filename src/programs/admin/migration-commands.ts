import type { Command } from 'commander';
import { loadConfig } from '../../core/config';
import { getMigrationState, migratePostgres, revertLastMigration } from '../../core/database';
import type { AuditActName } from '../../access/audit';
import { addRecordedCommand, CommandOutput, runAsOperator } from './command-runner';

const UNDEFINED_TABLE = '42P01';

interface MigrateOptions {
  json?: true;
  status?: true;
  revert?: true;
}

/** Adds the command that migrates the database without starting the service, for MIGRATE_ON_START=false. */
export function addMigrateCommand(program: Command): void {
  addRecordedCommand(program, 'migrate')
    .description('Run pending migrations, and print the names of those that were run')
    .option('--status', 'only print the applied and the pending migrations')
    .option('--revert', 'revert the last migration instead')
    .action(migrateDatabase);
}

async function migrateDatabase({ json, status, revert }: MigrateOptions, command: Command): Promise<void> {
  if (status && revert) command.error('error: --status and --revert exclude each other');
  const { database } = loadConfig();
  if (database.kind === 'embedded') throw new Error('The embedded database is migrated when the service starts.');
  const { migrationUrl } = database;
  const output = new CommandOutput(json);
  if (status) {
    output.writeJson(await getMigrationState(migrationUrl));
  } else if (revert) {
    const reverted = await revertLastMigration(migrationUrl);
    output.writeJson({ reverted });
    await recordMigrations(command, output, 'migration.reverted', reverted === null ? [] : [reverted]);
  } else {
    const applied = await migratePostgres(migrationUrl);
    output.writeJson({ applied });
    await recordMigrations(command, output, 'migration.applied', applied);
  }
}

/** Records migrations after they have committed, since the table of the audit trail may be part of them. */
async function recordMigrations(
  command: Command,
  output: CommandOutput,
  act: AuditActName,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const acts = names.map((targetId) => ({ act, accountId: null, targetId }));
  try {
    await runAsOperator(command, (context) => context.recordActs(acts));
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
    output.writeRemark('Not recorded: the database has no table of the audit trail at this version.');
  }
}
