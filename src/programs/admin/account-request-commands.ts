import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { Config } from '../../core/config';
import { AccountDeletionService, AccountExporter, AccountsService, toAccountDto } from '../../modules/accounts';
import { findAccountByName } from './account-commands';
import { addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';

/** Only the operator may read an export. */
const EXPORT_MODE = 0o600;

/** Adds the commands for people who ask for their data, or for its deletion, without a device. */
export function addAccountRequestCommands(program: Command): void {
  addRecordedCommand(program, 'export-account')
    .description('Write the same JSON document as GET /v1/account/export to a new file that only you can read')
    .argument('<name>', 'username or account id')
    .requiredOption('--output <file>', 'the new file')
    .action(runOnDatabase(exportAccount));
  addRecordedCommand(program, 'delete-account')
    .description("Delete an account with everything in it. It can't be undone")
    .argument('<name>', 'username or account id')
    .requiredOption('--confirm <username>', 'the username again')
    .action(runOnDatabase(deleteAccount));
}

/** The file gets its name when it is complete. Its content is ciphertext, which only the person's devices can read. */
async function exportAccount(context: CommandContext, name: string, { output }: { output: string }): Promise<void> {
  const { id, username } = await findAccountByName(context, name);
  const path = resolve(output);
  await requireNewFile(path);
  const account = await context.get(AccountsService).openExport(id);
  const document = context.get(AccountExporter).streamJson(id, toAccountDto(account, context.get(Config)));
  const partialPath = `${path}.partial-${process.pid}`;
  try {
    await pipeline(document, createWriteStream(partialPath, { flags: 'wx', mode: EXPORT_MODE, flush: true }));
    await requireNewFile(path);
    await rename(partialPath, path);
  } catch (error) {
    await rm(partialPath, { force: true });
    throw error;
  }
  context.writeJson({ accountId: id, username, file: path, bytes: (await stat(path)).size });
}

/**
 * Waits until all records are deleted, so that the operator can answer the person. Recorded first: the act has no
 * account, and an interrupted deletion is continued by the service.
 */
async function deleteAccount(context: CommandContext, name: string, { confirm }: { confirm: string }): Promise<void> {
  const { id, username } = await findAccountByName(context, name);
  if (confirm !== username)
    throw new Error(`Nothing was deleted. To delete this account, repeat its username: --confirm ${username}`);
  await context.recordActs([{ act: 'account.deleted', accountId: null, targetId: id }]);
  context.writeRemark('Deleting. If you interrupt this, the service continues with it.');
  await context.get(AccountDeletionService).deleteAccountWithRecords(id);
  context.writeJson({ accountId: id, username, deleted: true });
  context.writeRemark('Deleted with all records. Backups still contain it.');
}

/** @throws Error when the file exists, which is never overwritten */
async function requireNewFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found) throw new Error(`The file ${path} exists. Choose another name.`);
}
