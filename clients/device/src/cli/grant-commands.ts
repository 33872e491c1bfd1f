import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { parseRecipientPublicKey, type RecipientPublicKey } from '@external-api/protocol';
import type { KeyGrantResource } from '../api-resources';
import type { DeviceContentClient, SessionOrArtifact } from '../content/device-content-client';
import { listKeyGrants, revokeKeyGrant } from '../grants/key-grants';
import { MACHINE_OPTION, type CommandContext, type MachineOption } from './command-context';
import { parseDurationMs } from './option-parsers';
import { formatTimestamp } from './text-format';

interface GrantCommandOptions extends MachineOption {
  token?: string;
  app?: string;
  recipient?: string;
  /** Time to live in milliseconds. */
  expires?: number;
}

const RESOURCE_ARGUMENT = ['<session|artifact>', 'id or tag of a session, or id of an artifact'] as const;

/** Adds `grant`, `grants` and `revoke-grant`. */
export function addGrantCommands(program: Command, context: CommandContext): void {
  program
    .command('grant')
    .description('Grant API callers read access to a session or an artifact')
    .argument(...RESOURCE_ARGUMENT)
    .addOption(
      new Option(
        '--token <token-id>',
        "only this personal access token, tok_… (default: all of the account's tokens)",
      ).conflicts('app'),
    )
    .option('--app <client-id>', 'only this third-party app, svc_oapp_…')
    .option(
      '--recipient <file>',
      "a caller's public JWK, X25519 or P-256: only the key's owner can decrypt, not the service",
    )
    .option('--expires <duration>', 'expire after 30m, 12h, 7d, … (default: never)', parseDurationMs)
    .option(...MACHINE_OPTION)
    .action((idOrTag: string, options: GrantCommandOptions) => createGrant(context, idOrTag, options));
  program
    .command('grants')
    .description('List the grants of a session or an artifact')
    .argument(...RESOURCE_ARGUMENT)
    .option(...MACHINE_OPTION)
    .action((idOrTag: string, options: MachineOption) => listGrants(context, idOrTag, options));
  program
    .command('revoke-grant')
    .description('Revoke a grant')
    .argument(...RESOURCE_ARGUMENT)
    .argument('<grant-id>', 'grt_…, see "grants"')
    .option(...MACHINE_OPTION)
    .action((idOrTag: string, grantId: string, options: MachineOption) =>
      revokeGrant(context, idOrTag, grantId, options),
    );
}

async function createGrant(context: CommandContext, idOrTag: string, options: GrantCommandOptions): Promise<void> {
  const callerIds = { tokenId: options.token, appId: options.app };
  validateCallerIds(context, callerIds);
  const expiresAt = options.expires === undefined ? undefined : Date.now() + options.expires;
  const recipient = await readRecipientPublicKey(options.recipient);
  const content = await context.openContent(options);
  const resource = await findSessionOrArtifact(content, idOrTag);
  const grant = await content.createKeyGrant(resource, { ...callerIds, recipient, expiresAt });
  if (context.isJsonOutput) return context.terminal.writeJson(grant);
  writeGrant(context, grant, resource.tag);
  if (!recipient)
    context.terminal.writeNotice('The service decrypts the content in memory for each read by these callers.');
}

async function listGrants(context: CommandContext, idOrTag: string, options: MachineOption): Promise<void> {
  const content = await context.openContent(options);
  const resource = await findSessionOrArtifact(content, idOrTag);
  const grants = await listKeyGrants(content.device, resource);
  if (context.isJsonOutput) return context.terminal.writeJson(grants);
  const rows = grants.map((grant) => [
    grant.id,
    formatTimestamp(grant.createdAt),
    formatExpiry(grant),
    formatRecipient(grant),
    formatCallers(grant),
  ]);
  context.terminal.writeTable(['ID', 'CREATED', 'EXPIRES', 'DECRYPTED BY', 'CALLERS'], rows);
}

async function revokeGrant(
  context: CommandContext,
  idOrTag: string,
  grantId: string,
  options: MachineOption,
): Promise<void> {
  const content = await context.openContent(options);
  const resource = await findSessionOrArtifact(content, idOrTag);
  await revokeKeyGrant(content.device, resource, grantId);
  if (context.isJsonOutput) context.terminal.writeJson({ revoked: true });
  else context.terminal.writeLine('Revoked. The service no longer serves content under this grant.');
}

/**
 * Rejects secrets pasted instead of ids. The error messages don't repeat them, as those of an argument parser of
 * commander would.
 */
function validateCallerIds(context: CommandContext, { tokenId, appId }: { tokenId?: string; appId?: string }): void {
  if (tokenId !== undefined && !tokenId.startsWith('tok_'))
    context.failUsage('--token requires the id of a token (tok_…, see "token list"), not its secret.');
  if (appId !== undefined && !appId.startsWith('svc_oapp_'))
    context.failUsage('--app requires the client id of an app (svc_oapp_…), not its secret.');
}

async function readRecipientPublicKey(file: string | undefined): Promise<RecipientPublicKey | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8');
  try {
    return await parseRecipientPublicKey(text);
  } catch (error) {
    throw new Error(`${file} cannot be used as a recipient. ${(error as Error).message}`, { cause: error });
  }
}

/** Returns a session by its id or tag, or an artifact by its id. */
function findSessionOrArtifact(content: DeviceContentClient, idOrTag: string): Promise<SessionOrArtifact> {
  return idOrTag.startsWith('art_') ? content.getArtifact(idOrTag) : content.getSession(idOrTag);
}

function writeGrant({ terminal }: CommandContext, grant: KeyGrantResource, tag: string): void {
  terminal.writeFields([
    ['Grant', grant.id],
    ['Content', `${grant.sessionId ?? grant.artifactId} (${tag})`],
    ['Decrypted by', formatRecipient(grant)],
    ['Callers', formatCallers(grant)],
    ['Expires', formatExpiry(grant)],
  ]);
}

const formatRecipient = ({ recipient, recipientKeyId }: KeyGrantResource): string =>
  recipient === 'service' ? 'the service' : `the key ${recipientKeyId}`;

const formatCallers = ({ tokenId, appId }: KeyGrantResource): string =>
  tokenId ?? appId ?? 'all personal access tokens';

const formatExpiry = ({ expiresAt }: KeyGrantResource): string =>
  expiresAt === null ? 'never' : formatTimestamp(expiresAt);
