import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { recoverAccount } from '../recover-account';
import { signUp } from '../sign-up';
import type { CommandContext } from './command-context';
import { requireText } from './option-parsers';
import type { Terminal } from './terminal';
import { formatTimestamp } from './text-format';

interface SignUpCommandOptions {
  username: string;
  name?: string;
  platform?: string;
  invitation?: string;
}

interface RecoverCommandOptions {
  recoveryKeyFile?: string;
  name?: string;
  platform?: string;
}

/** Adds `signup`, `whoami`, `recovery-key` and `recover`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  program
    .command('signup')
    .description('Create an account with this computer as its first device')
    .requiredOption('--username <name>', '3 to 32 characters of a-z, 0-9 and -', requireText)
    .option('--name <name>', "this device's name (default: the computer's)")
    .option('--platform <name>', 'default: the operating system')
    .option('--invitation <code>', 'required when sign-up is closed')
    .action((options: SignUpCommandOptions) => createAccount(context, options));
  program
    .command('whoami')
    .description('Show the account and this device')
    .action(() => showAccount(context));
  program
    .command('recovery-key')
    .description('Create an additional recovery key (revoke a lost one with "revoke")')
    .action(() => createRecoveryKey(context));
  program
    .command('recover')
    .description('Add this computer to an account with its recovery key')
    .option('--recovery-key-file <file>', 'default: prompt, or read standard input')
    .option('--name <name>', "this device's name (default: the computer's)")
    .option('--platform <name>', 'default: the operating system')
    .action((options: RecoverCommandOptions) => recoverOnThisComputer(context, options));
}

async function createAccount(context: CommandContext, options: SignUpCommandOptions): Promise<void> {
  const { terminal } = context;
  const store = context.createKeyStore('account');
  const device = await signUp({ ...context.getNewDeviceAddress(), store, ...options });
  const account = await device.getAccount();
  if (!context.isJsonOutput) {
    terminal.writeLine(`Created the account ${account.username}.\n`);
    terminal.writeFields([
      ['Account', account.id],
      ['Device', device.deviceId ?? ''],
      ['Fingerprint', device.fingerprint],
      ['Key file', store.location],
    ]);
  }
  const recoveryKey = await device.addRecoveryKey().catch((error: Error) => {
    throw new Error(
      `The account was created, but has no recovery key yet. Run "recovery-key" to create one. ${error.message}`,
    );
  });
  const { deviceId, fingerprint } = device;
  if (context.isJsonOutput)
    terminal.writeJson({ account, deviceId, fingerprint, keyFile: store.location, recoveryKey });
  else printRecoveryKey(terminal, recoveryKey);
}

async function showAccount(context: CommandContext): Promise<void> {
  const store = context.createKeyStore('account');
  const device = await context.openAccountDevice();
  const account = await device.getAccount();
  const { deviceId, fingerprint, url } = device;
  if (context.isJsonOutput)
    return context.terminal.writeJson({ account, deviceId, fingerprint, url, keyFile: store.location });
  context.terminal.writeFields([
    ['Account', `${account.username} (${account.id})`],
    ['Created', formatTimestamp(account.createdAt)],
    ['Device', deviceId ?? '-'],
    ['Fingerprint', fingerprint],
    ['Service', url],
    ['Key file', store.location],
  ]);
}

async function createRecoveryKey(context: CommandContext): Promise<void> {
  const recoveryKey = await (await context.openAccountDevice()).addRecoveryKey();
  if (context.isJsonOutput) context.terminal.writeJson({ recoveryKey });
  else printRecoveryKey(context.terminal, recoveryKey);
}

async function recoverOnThisComputer(
  context: CommandContext,
  { recoveryKeyFile, name, platform }: RecoverCommandOptions,
): Promise<void> {
  const recoveryKey = recoveryKeyFile
    ? (await readFile(recoveryKeyFile, 'utf8')).trim()
    : await context.terminal.promptSecret('Recovery key: ');
  const store = context.createKeyStore('account');
  const device = await recoverAccount({ ...context.getNewDeviceAddress(), store, recoveryKey, name, platform });
  const account = await device.getAccount();
  const { deviceId, fingerprint } = device;
  if (context.isJsonOutput)
    return context.terminal.writeJson({ account, deviceId, fingerprint, keyFile: store.location });
  context.terminal.writeLine(`This computer is now a device of ${account.username}.\n`);
  context.terminal.writeFields([
    ['Device', deviceId ?? ''],
    ['Fingerprint', fingerprint],
    ['Key file', store.location],
  ]);
  context.terminal.writeLine(
    '\nThe recovery key remains valid.\nCheck the output of "devices" and revoke lost devices.',
  );
}

function printRecoveryKey(terminal: Terminal, recoveryKey: string): void {
  const groups = recoveryKey.split('-');
  terminal.writeLine('\nThis recovery key is shown only once.');
  terminal.writeLine('Write it down and store it away from this computer:\n');
  for (let index = 0; index < groups.length; index += 5)
    terminal.writeLine(`    ${groups.slice(index, index + 5).join('-')}`);
  terminal.writeLine('\nAnyone with this key has full access to the account.');
}
