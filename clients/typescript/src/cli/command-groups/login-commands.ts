import type { CommandSpec } from '../command-line/command-spec.ts';

const GROUP = 'Login';

export const loginCommands: CommandSpec[] = [
  {
    name: 'login',
    group: GROUP,
    summary: 'Store a credential for a host',
    details: [
      'On a terminal, opens the console in the browser, where you create a personal access token for xapi, and waits for it. Where the browser runs on another computer, create a token there and paste it. Without a terminal, reads the token from standard input. A token is never an argument: other users of this computer could see it, and the shell would store it.',
      'With --client-id, logs in as an OAuth app of your own in the browser. The app must have the redirect URI http://127.0.0.1/callback. Its secret comes from XAPI_CLIENT_SECRET or standard input. Apps may not run commands, start, continue or end sessions, choose options of agents, or decide on permission requests.',
      'In scripts, set XAPI_HOST and XAPI_TOKEN instead of logging in.',
    ],
    options: [
      { name: 'client-id', value: 'ID', description: 'Log in as this app: svc_oapp_…' },
      { name: 'scopes', value: 'SCOPE,SCOPE', description: 'Scopes of the app', isRepeatable: true },
      { name: 'no-browser', description: 'Print the address instead of opening it' },
    ],
    examples: [
      'xapi login --host https://api.example.com',
      'xapi login --host https://api.example.com < token.txt',
      'xapi login --client-id svc_oapp_… < secret.txt',
    ],
    load: async () => (await import('../commands/login.ts')).login,
  },
  {
    name: 'logout',
    group: GROUP,
    summary: 'Delete the stored credential of a host',
    options: [{ name: 'all', description: 'Of all hosts' }],
    load: async () => (await import('../commands/logout.ts')).logout,
  },
  {
    name: 'whoami',
    group: GROUP,
    summary: 'Show the account, the token and what is left of the rate limits',
    load: async () => (await import('../commands/whoami.ts')).whoami,
  },
];
