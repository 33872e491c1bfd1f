import type { Type } from '@nestjs/common';
import type { Command } from 'commander';
import type { IssuedToken, TokenIssuer } from '../../access/auth';
import { getTokenPrefix, type TokenPrefix } from '../../common/secret-token';
import { AccountAdminService } from '../../modules/accounts';
import { AppSecretsService } from '../../modules/developer-apps';
import { DeviceTokenService } from '../../modules/devices';
import { IssuedOAuthTokensService } from '../../modules/oauth';
import { PersonalAccessTokensService } from '../../modules/personal-access-tokens';
import { addCommand, addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';

/** A token has less than 50 characters. */
const MAX_INPUT_LENGTH = 1_000;

/** Services by the prefix of their secrets. A client id is not a secret. */
const ISSUERS: Readonly<Record<Exclude<TokenPrefix, 'svc_oapp_'>, Type<TokenIssuer>>> = {
  svc_pat_: PersonalAccessTokensService,
  svc_oat_: IssuedOAuthTokensService,
  svc_ort_: IssuedOAuthTokensService,
  svc_ocs_: AppSecretsService,
  svc_dev_: DeviceTokenService,
};

/** Adds the commands for a leaked token, which read it from standard input: arguments are visible to other users. */
export function addTokenCommands(program: Command): void {
  addCommand(program, 'token')
    .description('Print the owner and the state of a leaked token or secret, which is read from standard input')
    .action(runOnDatabase(printToken));
  addRecordedCommand(program, 'revoke-token')
    .description('Revoke a leaked token or secret, which is read from standard input, on all instances within a second')
    .action(runOnDatabase(revokeToken));
}

async function printToken(context: CommandContext): Promise<void> {
  const token = await readToken(context);
  await writeToken(context, await findToken(context, token));
}

async function revokeToken(context: CommandContext): Promise<void> {
  const token = await readToken(context);
  const found = await findToken(context, token);
  const issuer = getIssuer(context, token);
  await issuer.revokeIssuedToken(token);
  // Deleted secrets are no longer found.
  const revoked: IssuedToken = (await issuer.findIssuedToken(token)) ?? { ...found, state: 'revoked' };
  await writeToken(context, revoked);
  context.writeRemark(
    found.state === 'active'
      ? 'Revoked. Every instance rejects it within a second, and its open streams and sockets end.'
      : `It was ${found.state} before, so nothing has changed.`,
  );
}

/** @throws Error when the text is not a token of this service, or an unknown one. The message doesn't contain it. */
async function findToken(context: CommandContext, token: string): Promise<IssuedToken> {
  const found = await getIssuer(context, token).findIssuedToken(token);
  if (found) return found;
  throw new Error(
    'This token is unknown to the service. It was deleted with its account or app, expired long ago, or belongs to ' +
      'another deployment.',
  );
}

function getIssuer(context: CommandContext, token: string): TokenIssuer {
  const prefix = getTokenPrefix(token);
  if (prefix === 'svc_oapp_') throw new Error('This is the client id of an app, which is not secret.');
  if (prefix === null)
    throw new Error('This is not a token of the service. Tokens begin with svc_ and have a checksum: pass all of it.');
  return context.get(ISSUERS[prefix]);
}

async function writeToken(context: CommandContext, { accountId, ...token }: IssuedToken): Promise<void> {
  const account = accountId === null ? null : await context.get(AccountAdminService).findAccount(accountId);
  context.writeJson({ ...token, accountId, username: account?.username ?? null });
}

/** Reads the first line of standard input. @throws Error when there is none */
async function readToken(context: CommandContext): Promise<string> {
  if (process.stdin.isTTY) context.writeRemark('Paste the token and press Enter.');
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.trimStart().includes('\n') || text.length > MAX_INPUT_LENGTH) break;
  }
  const [line = ''] = text.trim().split(/\s/, 1);
  if (line === '') throw new Error('Pass the token on standard input, as in: npm run admin -- token < token.txt');
  return line;
}
