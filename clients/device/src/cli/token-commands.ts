import type { Command } from 'commander';
import type { CommandContext } from './command-context';
import { parseList, parseWholeNumber, requireText } from './option-parsers';
import { formatTimestamp } from './text-format';

interface CreateTokenCommandOptions {
  name: string;
  scopes: string[];
  machines?: string[];
  expiresInDays?: number;
}

/** Adds `token create`, `token list` and `token revoke`. */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('Create, list and revoke personal access tokens');
  token
    .command('create')
    .description('Create a personal access token')
    .requiredOption('--name <name>', "the token's name", requireText)
    .requiredOption('--scopes <a,b>', 'such as sessions:read,sessions:write', parseList)
    .option('--machines <a,b>', 'ids of machines that it is limited to (default: all)', parseList)
    .option('--expires-in-days <number>', '1 to 3650 (default: never)', parseWholeNumber)
    .action((options: CreateTokenCommandOptions) => createToken(context, options));
  token
    .command('list')
    .description('List the personal access tokens')
    .action(() => listTokens(context));
  token
    .command('revoke')
    .description('Revoke a personal access token')
    .argument('<token-id>', 'tok_…, see "token list"')
    .action((tokenId: string) => revokeToken(context, tokenId));
}

async function createToken(context: CommandContext, options: CreateTokenCommandOptions): Promise<void> {
  const { machines: machineIds, ...others } = options;
  const request = { ...others, ...(machineIds && { machineIds }) };
  const { record, token } = await (await context.openAccountDevice()).createToken(request);
  if (context.isJsonOutput) return context.terminal.writeJson({ data: record, token });
  context.terminal.writeLine(token);
  context.terminal.writeNotice('This token is shown only once.');
  if (options.scopes.includes('machines:invoke')) {
    context.terminal.writeNotice(
      'Anyone with this token can run any command on ' + (machineIds ? 'these machines' : 'each machine') + ', as the',
    );
    context.terminal.writeNotice('operating-system user that runs the machine program.');
  }
}

async function listTokens(context: CommandContext): Promise<void> {
  const tokens = await (await context.openAccountDevice()).listTokens();
  if (context.isJsonOutput) return context.terminal.writeJson(tokens);
  const rows = tokens.map((token) => [
    token.id,
    token.state,
    `${token.prefix}...${token.last4}`,
    formatTimestamp(token.expiresAt),
    formatTimestamp(token.lastUsedAt),
    token.name,
    token.scopes.join(','),
    // The previous release sends no list.
    token.machineIds?.join(',') ?? 'all',
  ]);
  const header = ['ID', 'STATE', 'TOKEN', 'EXPIRES', 'LAST USED', 'NAME', 'SCOPES', 'MACHINES'];
  context.terminal.writeTable(header, rows);
}

async function revokeToken(context: CommandContext, tokenId: string): Promise<void> {
  await (await context.openAccountDevice()).revokeToken(tokenId);
  if (context.isJsonOutput) context.terminal.writeJson({ revoked: true });
  else context.terminal.writeLine('Revoked.');
}
