import type { Command } from 'commander';
import type { CreateAppOptions } from '../account-device';
import type { CommandContext } from './command-context';
import { requireText } from './option-parsers';
import { formatTimestamp } from './text-format';

interface CreateAppCommandOptions extends Omit<CreateAppOptions, 'redirectUris'> {
  redirectUri: string[];
}

/** Adds `app create` and `app list`. */
export function addAppCommands(program: Command, context: CommandContext): void {
  const app = program.command('app').description('Register and list OAuth apps');
  app
    .command('create')
    .description('Register an OAuth app of this account')
    .requiredOption('--name <name>', 'the name that people see', requireText)
    .requiredOption('--redirect-uri <uri>', 'https, or http on this computer; repeatable', collectTexts)
    .option('--homepage-url <url>', "the app's homepage, http or https", requireText)
    .option('--description <text>', 'what the app does', requireText)
    .action((options: CreateAppCommandOptions) => createApp(context, options));
  app
    .command('list')
    .description("List this account's OAuth apps")
    .action(() => listApps(context));
}

async function createApp(
  context: CommandContext,
  { redirectUri: redirectUris, ...options }: CreateAppCommandOptions,
): Promise<void> {
  const device = await context.openAccountDevice();
  const { record, clientSecret } = await device.createApp({ ...options, redirectUris });
  if (context.isJsonOutput) return context.terminal.writeJson({ data: record, clientSecret });
  context.terminal.writeFields([
    ['Client ID', record.clientId],
    ['Client secret', clientSecret],
  ]);
  context.terminal.writeNotice('This secret is shown only once.');
}

async function listApps(context: CommandContext): Promise<void> {
  const apps = await (await context.openAccountDevice()).listApps();
  if (context.isJsonOutput) return context.terminal.writeJson(apps);
  const rows = apps.map((app) => [
    app.clientId,
    app.state,
    String(app.activeUsers),
    formatTimestamp(app.createdAt),
    app.name,
    app.redirectUris.join(','),
  ]);
  context.terminal.writeTable(['CLIENT ID', 'STATE', 'USERS', 'CREATED', 'NAME', 'REDIRECT URIS'], rows);
}

/** Adds the value of a repeatable option to the earlier ones. */
function collectTexts(text: string, earlier: string[] = []): string[] {
  return [...earlier, requireText(text)];
}
