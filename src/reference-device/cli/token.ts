import { UsageError, type Command } from './command';
import { printable, table, when } from './layout';

export const tokenCreateCommand: Command = {
  name: 'token create',
  positionals: [],
  summary: 'Make a personal access token',
  options: {
    name: { value: 'NAME', help: 'what it is for' },
    scopes: { value: 'A,B', help: 'such as sessions:read,sessions:write' },
    'expires-in-days': { value: 'N', help: '1 to 3650 (default: never)' },
  },
  async run(call) {
    const name = call.required('name');
    const scopes = call
      .required('scopes')
      .split(',')
      .map((scope) => scope.trim())
      .filter(Boolean);
    const expiresInDays = wholeNumber(call.text('expires-in-days'));
    const { record, token } = await (await call.accountDevice()).createToken({ name, scopes, expiresInDays });
    if (call.json) return call.terminal.json({ data: record, token });
    call.terminal.line(token);
    call.terminal.note('This token is shown this once.');
    if (scopes.includes('machines:invoke'))
      call.terminal.note("Whoever holds it can run any command as each machine's operating-system user.");
  },
};

export const tokenListCommand: Command = {
  name: 'token list',
  positionals: [],
  summary: 'List the personal access tokens',
  options: {},
  async run(call) {
    const tokens = await (await call.accountDevice()).tokens();
    if (call.json) return call.terminal.json(tokens);
    const rows = tokens.map((token) => [
      token.id,
      token.state,
      `${token.prefix}...${token.last4}`,
      when(token.expiresAt),
      when(token.lastUsedAt),
      printable(token.name),
      token.scopes.join(','),
    ]);
    const header = ['ID', 'STATE', 'TOKEN', 'EXPIRES', 'LAST USED', 'NAME', 'SCOPES'];
    call.terminal.line(table(header, rows));
  },
};

export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  positionals: ['TOKEN_ID'],
  summary: 'End a personal access token',
  options: {},
  async run(call) {
    await (await call.accountDevice()).revokeToken(call.positional(0));
    if (call.json) call.terminal.json({ revoked: true });
    else call.terminal.line('Revoked.');
  },
};

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--expires-in-days is no whole number: ${text}`);
  return Number(text);
}
