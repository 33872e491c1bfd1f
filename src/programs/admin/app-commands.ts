import type { Command } from 'commander';
import { AccountAdminService } from '../../modules/accounts';
import { AppSuspensionService, type RegisteredDeveloperApp } from '../../modules/developer-apps';
import { addCommand, addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';

/** Adds the commands that stop a third-party app for all accounts. */
export function addAppCommands(program: Command): void {
  addCommand(program, 'app')
    .description('Print an app with its developer and the number of its users')
    .argument('<client-id>', 'client id of the app, svc_oapp_…')
    .action(runOnDatabase(printApp));
  addRecordedCommand(program, 'suspend-app')
    .description('Stop an app for all accounts: block it, and revoke all its authorizations')
    .argument('<client-id>', 'client id of the app, svc_oapp_…')
    .action(runOnDatabase(suspendApp));
  addRecordedCommand(program, 'resume-app')
    .description('Lift the suspension of an app. Its users have to authorize it again')
    .argument('<client-id>', 'client id of the app, svc_oapp_…')
    .action(runOnDatabase(resumeApp));
}

async function printApp(context: CommandContext, clientId: string): Promise<void> {
  await writeApp(context, await findApp(context, clientId));
}

/** Blocks the app before it revokes authorizations in batches, so that it gets no new ones meanwhile. */
async function suspendApp(context: CommandContext, clientId: string): Promise<void> {
  const suspensions = context.get(AppSuspensionService);
  await suspensions.suspendApp(await findApp(context, clientId));
  const revokedAuthorizations = await suspensions.revokeAuthorizations(clientId, (count) =>
    context.writeRemark(`${count} authorizations revoked so far`),
  );
  await writeApp(context, await findApp(context, clientId), { revokedAuthorizations });
  context.writeRemark(
    'Suspended. Every instance rejects its tokens within a second. Its webhooks and key grants are deleted.',
  );
}

async function resumeApp(context: CommandContext, clientId: string): Promise<void> {
  await context.get(AppSuspensionService).resumeApp(await findApp(context, clientId));
  const app = await findApp(context, clientId);
  await writeApp(context, app);
  context.writeRemark('Resumed. Revoked authorizations stay revoked: its users have to authorize it again.');
  if (app.state === 'disabled') context.writeRemark('Its developer has disabled it.');
}

/** @throws Error when no app has this client id */
async function findApp(context: CommandContext, clientId: string): Promise<RegisteredDeveloperApp> {
  const app = await context.get(AppSuspensionService).findApp(clientId);
  if (!app) throw new Error(`No app has the client id "${clientId}".`);
  return app;
}

async function writeApp(context: CommandContext, app: RegisteredDeveloperApp, members: object = {}): Promise<void> {
  const { accountId, clientId, name, homepageUrl, redirectUris, state, activeUsers, createdAt, updatedAt } = app;
  const developer = await context.get(AccountAdminService).findAccount(accountId);
  const shown = { clientId, name, homepageUrl, redirectUris, state, activeUsers, createdAt, updatedAt };
  context.writeJson({ ...shown, accountId, username: developer?.username ?? null, ...members });
}
