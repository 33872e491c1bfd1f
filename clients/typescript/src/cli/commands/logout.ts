import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { withFileLock } from '../credentials/file-lock.ts';
import { CliError } from '../errors.ts';

export const logout: CommandAction = async (context, input) => {
  const { terminal, credentials } = context;
  const named = context.findNamedHost() ?? credentials.currentHost;
  const hosts = input.hasFlag('all') ? credentials.listHosts() : named === null ? [] : [named];
  const known = hosts.filter((host) => credentials.findLogin(host));
  if (known.length === 0) throw new CliError('You are not logged in.', { code: 'not_logged_in' });
  for (const host of known) await endLogin(context, host);
  if (terminal.isJson) terminal.writeJson({ loggedOut: known });
  else terminal.writeParagraph(`Logged out of ${known.join(', ')}.`);
};

async function endLogin({ credentials, terminal }: CommandContext, host: string): Promise<void> {
  const login = credentials.findLogin(host);
  await withFileLock(`${credentials.path}.lock`, () => credentials.deleteLogin(host));
  if (login?.kind === 'token') {
    if (!terminal.isJson) terminal.writeNotice('The token stays valid until you revoke it in the console.');
    return;
  }
  if (!login) return;
  const { revokeLogin } = await import('../credentials/oauth-tokens.ts');
  // Without the service, the tokens are deleted all the same.
  await revokeLogin({ host, ...login }, login.refreshToken).catch(() =>
    terminal.writeNotice(`${host} doesn't confirm it, so its tokens may stay valid. Revoke the app in the console.`),
  );
}
