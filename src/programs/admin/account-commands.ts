import { InvalidArgumentError, type Command } from 'commander';
import { Config } from '../../core/config';
import {
  ACCOUNT_LIMIT_NAMES,
  AccountAdminService,
  getPlan,
  InvitationsService,
  type AccountLimits,
  type AccountSearch,
  type AdminAccount,
} from '../../modules/accounts';
import { addCommand, addLimitOption, addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';

const LIMITS_NOTE = `Limits: ${ACCOUNT_LIMIT_NAMES.join(', ')}`;

/** A new value per limit; null removes the override. */
type LimitChanges = Partial<Record<keyof AccountLimits, number | null>>;

/** Adds the commands that find accounts, suspend them and set their limits. */
export function addAccountCommands(program: Command): void {
  addRecordedCommand(program, 'invite')
    .description('Create a single-use invitation code for closed sign-up, valid for 7 days')
    .action(runOnDatabase(createInvitation));
  addLimitOption(addCommand(program, 'accounts'))
    .description('Print the accounts that match all given options, by username')
    .option('--prefix <text>', 'beginning of the username')
    .option('--device <id>', 'the account of this device')
    .option('--token <id>', 'the account of this personal access token')
    .option('--webhook <id>', 'the account of this webhook')
    .option('--app <client-id>', "the account of this app's developer")
    .option('--suspended', 'only suspended accounts')
    .option('--largest', 'order by stored bytes, largest first')
    .action(runOnDatabase(searchAccounts));
  addCommand(program, 'account')
    .description("Print an account's record, limits and plan")
    .argument('<name>', 'username or account id')
    .action(runOnDatabase(printAccount));
  addRecordedCommand(program, 'suspend')
    .description("Block all of the account's credentials and close its sockets within a second")
    .argument('<name>', 'username or account id')
    .action(runOnDatabase(suspendAccount));
  addRecordedCommand(program, 'resume')
    .description('Lift the suspension of an account')
    .argument('<name>', 'username or account id')
    .action(runOnDatabase(resumeAccount));
  addRecordedCommand(program, 'limits')
    .description('Override limits of an account')
    .argument('<name>', 'username or account id')
    .argument(
      '<limit=number...>',
      `such as maxApps=2; maxApps=default removes an override. ${LIMITS_NOTE}`,
      collectLimitChange,
    )
    .action(runOnDatabase(setAccountLimits));
}

/** @throws Error when no account has this username or id */
export async function findAccountByName(context: CommandContext, name: string): Promise<AdminAccount> {
  const found = await context.get(AccountAdminService).findAccount(name);
  if (!found) throw new Error(`Account "${name}" doesn't exist.`);
  return found;
}

async function createInvitation(context: CommandContext): Promise<void> {
  const act = { act: 'invitation.created', accountId: null, targetId: null } as const;
  const { code, expiresAt } = await context.runRecordedAct(act, () =>
    context.get(InvitationsService).createInvitation(),
  );
  context.writeText(code, { code, expiresAt: expiresAt.getTime() });
  context.writeRemark(`Valid for one sign-up until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`);
  context.writeRemark(`  npm run device -- signup --username NAME --invitation=${code}`);
  if (context.get(Config).signup === 'open')
    context.writeRemark('Sign-up is open on this service, so no invitation is required.');
}

/** Prints the accounts without their plans. */
async function searchAccounts(context: CommandContext, search: AccountSearch): Promise<void> {
  const found = await context.get(AccountAdminService).searchAccounts(search);
  const records = found.map(({ createdAt, suspendedAt, limits: ownLimits, ...account }) => ({
    ...account,
    createdAt: createdAt.getTime(),
    suspendedAt: suspendedAt?.getTime() ?? null,
    ownLimits,
  }));
  context.writeJson(records);
}

async function printAccount(context: CommandContext, name: string): Promise<void> {
  writeAccount(context, await findAccountByName(context, name));
}

async function suspendAccount(context: CommandContext, name: string): Promise<void> {
  const { id } = await findAccountByName(context, name);
  const act = { act: 'account.suspended', accountId: id, targetId: id } as const;
  writeAccount(context, await context.runRecordedAct(act, () => context.get(AccountAdminService).suspendAccount(id)));
  context.writeRemark('Suspended. Every instance rejects its credentials within a second.');
  context.writeRemark('No data is deleted.');
}

async function resumeAccount(context: CommandContext, name: string): Promise<void> {
  const { id } = await findAccountByName(context, name);
  const act = { act: 'account.resumed', accountId: id, targetId: id } as const;
  writeAccount(context, await context.runRecordedAct(act, () => context.get(AccountAdminService).resumeAccount(id)));
  context.writeRemark('Resumed. Its credentials work again, and its devices reconnect automatically.');
}

async function setAccountLimits(context: CommandContext, name: string, changes: LimitChanges): Promise<void> {
  const { id } = await findAccountByName(context, name);
  const act = { act: 'account.limits_changed', accountId: id, targetId: id } as const;
  const changed = await context.runRecordedAct(act, () =>
    context.get(AccountAdminService).setAccountLimits(id, changes),
  );
  writeAccount(context, changed);
  context.writeRemark('Every instance applies them within a second.');
  context.writeRemark('Existing data above the limits is not deleted.');
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

/**
 * Prints the account as JSON, with times in Unix ms.
 * @param found null when the account was deleted in the meantime
 */
function writeAccount(context: CommandContext, found: AdminAccount | null): void {
  if (!found) throw new Error('The account has been deleted in the meantime.');
  const { createdAt, suspendedAt, limits: ownLimits, ...rest } = found;
  context.writeJson({
    ...rest,
    createdAt: createdAt.getTime(),
    suspendedAt: suspendedAt?.getTime() ?? null,
    ownLimits,
    plan: getPlan(context.get(Config), ownLimits),
  });
}
