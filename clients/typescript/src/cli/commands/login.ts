import type { Me } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandContext } from '../command-context.ts';
import type { Credential } from '../credentials/credential-source.ts';
import type { Login, OAuthLogin } from '../credentials/credential-file.ts';
import type { BrowserOptions } from '../credentials/loopback-redirect.ts';
import { withFileLock } from '../credentials/file-lock.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { interrupts } from '../interrupts.ts';

/** Scopes that apps can have and that the commands use. */
const APP_SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'machines:read', 'artifacts:read'];
const PAT_ONLY_SCOPES = ['sessions:approve', 'machines:invoke', 'machines:invoke:verified'];

export const login: CommandAction = async (context, input) => {
  const host = context.findNamedHost() ?? context.credentials.currentHost;
  if (host === null) throw new UsageError('Name the host: --host https://your.service');
  warnOfPlainHttp(context, host);
  const clientId = input.findOption('client-id');
  if (process.env.XAPI_TOKEN)
    context.terminal.writeNotice('XAPI_TOKEN is set. It overrides this login as long as it is set.');
  const { credentials } = context;
  const lock = `${credentials.path}.lock`;
  await withFileLock(lock, () => credentials.checkWritable());
  const stored =
    clientId === undefined
      ? toLogin(await obtainToken(context, input, host))
      : await logInAsApp(context, input, host, clientId);
  const me = await context.createClient(toCredential(host, stored)).me();
  await interrupts.hold(() => withFileLock(lock, () => credentials.saveLogin(host, stored, true)));
  report(context, host, me);
};

/** On a terminal, a token comes from the browser or is pasted. */
async function obtainToken({ terminal }: CommandContext, input: CommandInput, host: string): Promise<string> {
  if (!terminal.isInteractive) return terminal.readSecret('');
  const { requestBrowserToken } = await import('../credentials/browser-token.ts');
  const answered = new AbortController();
  const readPasted = () => terminal.readSecret('Or paste a personal access token: ', answered.signal);
  return requestBrowserToken(host, toBrowserOptions(terminal, input), readPasted).finally(() => answered.abort());
}

function toLogin(token: string): Login {
  if (token === '')
    throw new UsageError('There is no token on standard input.', 'Run: xapi login < token.txt, or on a terminal.');
  if (!/^svc_pat_\w+$/.test(token))
    throw new CliError('This is not a personal access token. One begins with svc_pat_.', {
      exitCode: EXIT.usage,
      code: 'invalid_token',
    });
  return { kind: 'token', token };
}

async function logInAsApp(
  context: CommandContext,
  input: CommandInput,
  host: string,
  clientId: string,
): Promise<OAuthLogin> {
  const { terminal } = context;
  const scopes = input.listNames('scopes');
  const refused = scopes.find((scope) => PAT_ONLY_SCOPES.includes(scope));
  if (refused) throw new UsageError(`Apps can't have the scope ${refused}.`, 'Use a personal access token: xapi login');
  const clientSecret = process.env.XAPI_CLIENT_SECRET?.trim() || (await terminal.readSecret('Secret of the app: '));
  if (clientSecret === '')
    throw new UsageError('The secret of the app is missing.', 'Set XAPI_CLIENT_SECRET, or write it to standard input.');
  const { authorizeApp } = await import('../credentials/oauth-login.ts');
  return authorizeApp(
    { host, clientId, clientSecret },
    {
      scopes: scopes.length > 0 ? scopes : APP_SCOPES,
      ...toBrowserOptions(terminal, input),
    },
  );
}

function toBrowserOptions(terminal: CommandContext['terminal'], input: CommandInput): BrowserOptions {
  return {
    opensBrowser: !input.hasFlag('no-browser') && terminal.isInteractive,
    showAddress: (address) => terminal.writeAddress('Open this address in your browser:', address),
  };
}

function toCredential(host: string, stored: Login): Credential {
  const token = stored.kind === 'token' ? stored.token : stored.accessToken;
  return { host, token, origin: 'file', kind: stored.kind };
}

function report({ terminal, credentials }: CommandContext, host: string, { data }: Me): void {
  if (terminal.isJson) return terminal.writeJson({ host, account: data.account, token: data.token });
  terminal.writeParagraph(`Logged in to ${host} as ${terminal.show(data.account.username)}.`);
  terminal.writeNotice(`The credential is in ${credentials.path}, readable only by you.`);
}

function warnOfPlainHttp({ terminal }: CommandContext, host: string): void {
  const { protocol, hostname } = new URL(host);
  if (protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    terminal.writeNotice('warning: The connection is not encrypted. Anybody on the way can read the token.');
}
