import { Logger } from '@nestjs/common';
import { Argument, type Command } from 'commander';
import type { AuditActName } from '../../access/audit';
import { ReadOnlyModeService } from '../../access/read-only';
import { generateVapidKey, loadConfig } from '../../core/config';
import {
  checkSchema,
  formatSchemaDifference,
  getMigrationState,
  migratePostgres,
  revertLastMigration,
  runAtMigrationUrl,
} from '../../core/database';
import { SecretReencryptionService } from '../../modules/webhooks';
import {
  addCommand,
  addRecordedCommand,
  CommandOutput,
  runAsOperator,
  runOnDatabase,
  type CommandContext,
} from './command-runner';

const UNDEFINED_TABLE = '42P01';

interface MigrateOptions {
  json?: true;
  status?: true;
  check?: true;
  revert?: true;
}

/** Adds the commands for maintenance of the whole service. */
export function addMaintenanceCommands(program: Command): void {
  addRecordedCommand(program, 'read-only')
    .description('Make all instances refuse writes and relayed calls, end that, or print whether they do')
    .addArgument(new Argument('<state>', 'what to do').choices(['on', 'off', 'status']))
    .action(runOnDatabase(setReadOnlyMode));
  addRecordedCommand(program, 'reseal')
    .description(
      'Re-encrypt signing secrets and headers of webhooks with the first APP_SECRET, so that older ones can be removed',
    )
    .action(runOnDatabase(reencryptSigningSecrets));
  addCommand(program, 'push-keys')
    .description('Print a new key for notifications of browsers, as a setting')
    .action(printPushKey);
  // Migrates without starting the service, for MIGRATE_ON_START=false.
  addRecordedCommand(program, 'migrate')
    .description('Run pending migrations, and print the names of those that were run')
    .option('--status', 'only print the applied and the pending migrations')
    .option('--check', 'only compare the schema of the database with that of the migrations; fails if it differs')
    .option('--revert', 'revert the last migration instead')
    .action(migrateDatabase);
}

async function setReadOnlyMode(context: CommandContext, state: 'on' | 'off' | 'status'): Promise<void> {
  const readOnlyMode = context.get(ReadOnlyModeService);
  if (state === 'on') await readOnlyMode.startReadOnlyMode();
  if (state === 'off') await readOnlyMode.endReadOnlyMode();
  const startedAt = await readOnlyMode.getStartTime();
  context.writeJson({ readOnly: startedAt !== null, since: startedAt?.getTime() ?? null });
  if (state === 'on') {
    context.writeRemark('Every instance refuses writes within two seconds.');
    context.writeRemark(
      'Calls in progress finish, relayed calls within their timeout: wait before you change anything.',
    );
  }
  if (state === 'off') context.writeRemark('Every instance accepts writes within two seconds.');
}

/** Webhooks are re-encrypted one by one, before the record: one transaction would lock all of them. */
async function reencryptSigningSecrets(context: CommandContext): Promise<void> {
  const { reencryptedCount: resealed, unreadableIds: lost } = await context
    .get(SecretReencryptionService)
    .reencryptSecrets();
  await context.recordActs([{ act: 'signing_secrets.reencrypted', accountId: null, targetId: null }]);
  context.writeJson({ resealed, lost });
  if (lost.length > 0) {
    throw new Error(
      'None of the configured APP_SECRETs decrypts the secrets of these webhooks. Add the missing one or rotate ' +
        'them, and set their headers again.',
    );
  }
  context.writeRemark('All signing secrets and headers are encrypted with the first APP_SECRET.');
}

function printPushKey({ json }: { json?: true }): void {
  const output = new CommandOutput(json);
  const privateKey = generateVapidKey();
  output.writeText(`PUSH_VAPID_PRIVATE_KEY=${privateKey}`, { privateKey });
  output.writeRemark('Set PUSH_VAPID_SUBJECT as well: a mailto: or https: address where push services reach you.');
}

async function migrateDatabase({ json, status, check, revert }: MigrateOptions, command: Command): Promise<void> {
  if ([status, check, revert].filter(Boolean).length > 1)
    command.error('error: --status, --check and --revert exclude each other');
  const { database } = loadConfig();
  if (database.kind === 'embedded') throw new Error('The embedded database is migrated when the service starts.');
  const run = <T>(work: (url: string) => Promise<T>) => runAtMigrationUrl(database, work);
  const output = new CommandOutput(json);
  logAsRemarks(output);
  if (status) {
    output.writeJson(await run(getMigrationState));
  } else if (check) {
    await run((url) => printSchemaDifferences(url, output));
  } else if (revert) {
    const reverted = await run(revertLastMigration);
    output.writeJson({ reverted });
    await recordMigrations(command, output, 'migration.reverted', reverted === null ? [] : [reverted]);
  } else {
    const applied = await run((url) => migratePostgres(url));
    output.writeJson({ applied });
    await recordMigrations(command, output, 'migration.applied', applied);
  }
}

/** Writes what a migration logs while it waits for a lock as remarks. Nest's own logger writes to standard output. */
function logAsRemarks(output: CommandOutput): void {
  const writeRemark = (...parts: unknown[]) => {
    output.writeRemark(String(parts.find((part) => typeof part === 'string')));
  };
  Logger.overrideLogger({ log: writeRemark, warn: writeRemark, error: writeRemark });
}

/** @throws Error if the schema has drifted, after it printed the differences */
async function printSchemaDifferences(url: string, output: CommandOutput): Promise<void> {
  const differences = await checkSchema(url);
  const driftCount = differences.filter(({ isDrift }) => isDrift).length;
  const lines = differences.map(formatSchemaDifference);
  if (driftCount === 0) lines.push('The database has the schema of the migrations.');
  output.writeText(lines.join('\n'), { drift: driftCount > 0, differences });
  if (driftCount > 0)
    throw new Error(
      `The schema has drifted from the migrations: ${driftCount} differences. See docs/runbooks/upgrade.md.`,
    );
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
