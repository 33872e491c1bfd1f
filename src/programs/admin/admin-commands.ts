import type { INestApplicationContext } from '@nestjs/common';
import { Command, InvalidArgumentError } from 'commander';
import { Config, loadConfig } from '../../core/config';
import {
  ACCOUNT_LIMIT_NAMES,
  AccountAdminService,
  getPlan,
  InvitationsService,
  type AccountLimits,
  type AccountSearch,
  type AdminAccount,
} from '../../modules/accounts';
import { RelayCallReader } from '../../modules/relay';
import { SecretReencryptionService } from '../../modules/webhooks';
import { runWithAdminDatabase } from './admin.module';
import { addMigrateCommand } from './migration-commands';
import { addReasonOption, runRecordedAct, type ActOptions } from './operator-acts';

const DESCRIPTION =
  'Manages a service on its database: accounts, invitations and signing secrets.\n\n' +
  'The commands read the same environment variables as the service. With PostgreSQL, the service may keep running. ' +
  'With the embedded database, stop it first.';

const MAX_ACCOUNTS = 1_000;
const DEFAULT_ACCOUNTS = 50;

const LIMITS_NOTE = `Limits: ${ACCOUNT_LIMIT_NAMES.join(', ')}`;

/** A new value per limit; null removes the override. */
type LimitChanges = Partial<Record<keyof AccountLimits, number | null>>;

/** Builds the command line. It throws a CommanderError instead of exiting. */
export function createAdminProgram(): Command {
  const program = new Command('npm run admin --')
    .description(DESCRIPTION)
    .usage('<command>')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'Show the help of a command')
    .showHelpAfterError('See: npm run admin -- --help')
    .exitOverride();
  addReasonOption(program.command('invite'))
    .description('Create a single-use invitation code for closed sign-up, valid for 7 days')
    .action(withApp(createInvitation));
  program
    .command('accounts')
    .description('Print the accounts that match all given options, by username')
    .option('--prefix <text>', 'beginning of the username')
    .option('--device <id>', 'the account of this device')
    .option('--token <id>', 'the account of this personal access token')
    .option('--webhook <id>', 'the account of this webhook')
    .option('--app <client-id>', "the account of this app's developer")
    .option('--suspended', 'only suspended accounts')
    .option('--largest', 'order by stored bytes, largest first')
    .option('--limit <number>', `at most this many accounts, 1 to ${MAX_ACCOUNTS}`, parseAccountLimit, DEFAULT_ACCOUNTS)
    .action(withApp(searchAccounts));
  program
    .command('account')
    .description("Print an account's record, limits and plan")
    .argument('<name>', 'username or account id')
    .action(withApp(printAccount));
  addReasonOption(program.command('suspend'))
    .description("Block all of the account's credentials and close its sockets within a second")
    .argument('<name>', 'username or account id')
    .action(withApp(suspendAccount));
  addReasonOption(program.command('resume'))
    .description('Lift the suspension of an account')
    .argument('<name>', 'username or account id')
    .action(withApp(resumeAccount));
  addReasonOption(program.command('limits'))
    .description('Override limits of an account')
    .argument('<name>', 'username or account id')
    .argument(
      '<limit=number...>',
      `such as maxApps=2; maxApps=default removes an override. ${LIMITS_NOTE}`,
      collectLimitChange,
    )
    .action(withApp(setAccountLimits));
  addReasonOption(program.command('reseal'))
    .description('Re-encrypt webhook signing secrets with the first APP_SECRET, so that older ones can be removed')
    .action(withApp(reencryptSigningSecrets));
  program
    .command('call')
    .description('Print the outcome of a relayed call')
    .argument('<request-id>', 'the requestId of its response')
    .action(withApp(printRelayCall));
  addMigrateCommand(program);
  return program;
}

/** Runs a command on the service's database. */
function withApp<Args extends unknown[]>(
  runCommand: (app: INestApplicationContext, ...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return (...args) => runWithAdminDatabase(loadConfig(), (app) => runCommand(app, ...args));
}

async function createInvitation(app: INestApplicationContext, options: ActOptions): Promise<void> {
  const act = { act: 'invitation.created', accountId: null, targetId: null } as const;
  const { code, expiresAt } = await runRecordedAct(app, options, act, () =>
    app.get(InvitationsService).createInvitation(),
  );
  writeResult(code);
  writeRemark(`Valid for one sign-up until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`);
  writeRemark(`  npm run device -- signup --username NAME --invitation=${code}`);
  if (app.get(Config).signup === 'open') writeRemark('Sign-up is open on this service, so no invitation is required.');
}

/** Prints the accounts without their plans. */
async function searchAccounts(app: INestApplicationContext, search: AccountSearch): Promise<void> {
  const found = await app.get(AccountAdminService).searchAccounts(search);
  const records = found.map(({ createdAt, suspendedAt, limits: ownLimits, ...account }) => ({
    ...account,
    createdAt: createdAt.getTime(),
    suspendedAt: suspendedAt?.getTime() ?? null,
    ownLimits,
  }));
  writeResult(JSON.stringify(records, null, 2));
}

/** @throws InvalidArgumentError */
function parseAccountLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_ACCOUNTS) throw new InvalidArgumentError(`Use a number from 1 to ${MAX_ACCOUNTS}.`);
  return limit;
}

async function printAccount(app: INestApplicationContext, name: string): Promise<void> {
  writeAccount(app, await findAccountByName(app, name));
}

async function suspendAccount(app: INestApplicationContext, name: string, options: ActOptions): Promise<void> {
  const { id } = await findAccountByName(app, name);
  const act = { act: 'account.suspended', accountId: id, targetId: id } as const;
  writeAccount(app, await runRecordedAct(app, options, act, () => app.get(AccountAdminService).suspendAccount(id)));
  writeRemark('Suspended. Every instance rejects its credentials within a second.');
  writeRemark('No data is deleted.');
}

async function resumeAccount(app: INestApplicationContext, name: string, options: ActOptions): Promise<void> {
  const { id } = await findAccountByName(app, name);
  const act = { act: 'account.resumed', accountId: id, targetId: id } as const;
  writeAccount(app, await runRecordedAct(app, options, act, () => app.get(AccountAdminService).resumeAccount(id)));
  writeRemark('Resumed. Its credentials work again, and its devices reconnect automatically.');
}

async function setAccountLimits(
  app: INestApplicationContext,
  name: string,
  changes: LimitChanges,
  options: ActOptions,
): Promise<void> {
  const { id } = await findAccountByName(app, name);
  const act = { act: 'account.limits_changed', accountId: id, targetId: id } as const;
  const changed = await runRecordedAct(app, options, act, () =>
    app.get(AccountAdminService).setAccountLimits(id, changes),
  );
  writeAccount(app, changed);
  writeRemark('Every instance applies them within a second.');
  writeRemark('Existing data above the limits is not deleted.');
}

/** Adds one `LIMIT=NUMBER` argument to the earlier ones. @throws InvalidArgumentError */
function collectLimitChange(text: string, earlierChanges: LimitChanges = {}): LimitChanges {
  const [, name, value] = /^(\w+)=(default|\d{1,15})$/.exec(text) ?? [];
  const limit = ACCOUNT_LIMIT_NAMES.find((known) => known === name);
  if (!limit) throw new InvalidArgumentError(`Use LIMIT=NUMBER or LIMIT=default. ${LIMITS_NOTE}`);
  const number = value === 'default' ? null : Number(value);
  if (number === 0 && limit.endsWith('PerMinute'))
    throw new InvalidArgumentError('This would block the account. Use suspend instead.');
  return { ...earlierChanges, [limit]: number };
}

/** Webhooks are re-encrypted one by one, before the record: one transaction would lock all of them. */
async function reencryptSigningSecrets(app: INestApplicationContext, options: ActOptions): Promise<void> {
  const result = await app.get(SecretReencryptionService).reencryptSecrets();
  const act = { act: 'signing_secrets.reencrypted', accountId: null, targetId: null } as const;
  const { reencryptedCount: resealed, unreadableIds: lost } = await runRecordedAct(app, options, act, () =>
    Promise.resolve(result),
  );
  writeResult(JSON.stringify({ resealed, lost }, null, 2));
  if (lost.length > 0) {
    throw new Error(
      'None of the configured APP_SECRETs decrypts the secrets of these webhooks. Add the missing one or rotate them.',
    );
  }
  writeRemark('All signing secrets are encrypted with the first APP_SECRET.');
}

async function printRelayCall(app: INestApplicationContext, requestId: string): Promise<void> {
  const relayCall = await app.get(RelayCallReader).findByRequestId(requestId);
  if (!relayCall) {
    throw new Error(
      `No relayed call with the request id "${requestId}" is stored. Others are only in the log, as requestId.`,
    );
  }
  writeResult(JSON.stringify({ ...relayCall, createdAt: relayCall.createdAt.getTime() }, null, 2));
}

/** @throws Error when no account has this username or id */
async function findAccountByName(app: INestApplicationContext, name: string): Promise<AdminAccount> {
  const found = await app.get(AccountAdminService).findAccount(name);
  if (!found) throw new Error(`Account "${name}" doesn't exist.`);
  return found;
}

/**
 * Prints the account as JSON, with times in Unix ms.
 * @param found null when the account was deleted in the meantime
 */
function writeAccount(app: INestApplicationContext, found: AdminAccount | null): void {
  if (!found) throw new Error('The account has been deleted in the meantime.');
  const { createdAt, suspendedAt, limits: ownLimits, ...rest } = found;
  const record = {
    ...rest,
    createdAt: createdAt.getTime(),
    suspendedAt: suspendedAt?.getTime() ?? null,
    ownLimits,
    plan: getPlan(app.get(Config), ownLimits),
  };
  writeResult(JSON.stringify(record, null, 2));
}

/** Writes to standard output, which scripts read. */
function writeResult(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes to standard error, for the operator. */
function writeRemark(text: string): void {
  process.stderr.write(`${text}\n`);
}
