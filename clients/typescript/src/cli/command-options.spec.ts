import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandContext } from './command-context.ts';
import type { CommandSpec } from './command-line/command-spec.ts';
import { findCommand, parseInput } from './command-line/parse-command-line.ts';
import { root } from './commands.ts';
import { Terminal } from './output/terminal.ts';

const HOST = 'http://service.test';
const FOLDER = mkdtempSync(join(tmpdir(), 'command-options-'));
const FILE = join(FOLDER, 'a.txt');
const ATTACHED = '"attachments":[{"name":"a.txt","data":"Nw=="}]';
/** Questions of commands that rows answer. Another question is a failure: its option should have answered it. */
const ANSWERS: Record<string, string> = { 'Which one? [1-1] ': '1', 'Continue a copy? [Y/n] ': 'y' };

/** Answers every call with one record that has the members of all kinds of records. */
const createRecord = (isQuestion: boolean) => ({
  id: 'id_1',
  name: 'build-1',
  sessionId: 'ses_1',
  state: 'completed',
  version: 1,
  turn: { id: 'turn_1' },
  activity: 'requires_action',
  token: { scopes: ['sessions:content'] },
  capabilities: ['session.grant'],
  encoding: 'plaintext',
  contentEncoding: 'utf8',
  contentHash: 'hash',
  agents: [],
  problems: [],
  content: JSON.stringify({
    title: 'Asks',
    message: '',
    input: '',
    options: [],
    schema: { properties: { base: { type: 'string', default: 'sqlite' } }, required: [] },
  }),
  options: isQuestion ? [] : [{ id: 'model', value: 'opus', values: [] }],
  sessions: [{ agent: 'a', agentSessionId: 'own', cwd: '/', title: null, updatedAt: null, canFork: true }],
  nextCursor: null,
  signingSecret: null,
  requestId: 'req_1',
  code: 'not_found',
});

/** Options whose effect is another one than a request, and other tests notice. */
const TESTED_ELSEWHERE = [
  // test/clients/xapi-login.spec.ts
  'login --client-id',
  'login --scopes',
  // test/clients/xapi-agent.spec.ts
  'start --timeout',
  'continue --timeout',
  'send --timeout',
  'wait --timeout',
  // test/clients/xapi-usage.spec.ts
  'login --no-browser',
  'completion SHELL',
];

describe('xapi', () => {
  /** Requests and lines of JSON. */
  let log: string[];

  beforeAll(() => {
    writeFileSync(FILE, '7');
    const login = { kind: 'token', token: 'svc_pat_0' };
    const hosts = { 'http://a.test': login, 'http://b.test': login };
    const credentials = JSON.stringify({ version: 1, currentHost: 'http://a.test', hosts });
    mkdirSync(join(FOLDER, 'xapi'));
    writeFileSync(join(FOLDER, 'xapi', 'credentials.json'), credentials, { mode: 0o600 });
  });
  afterAll(() => rmSync(FOLDER, { recursive: true }));
  beforeEach(() => {
    log = [];
    jest.replaceProperty(process, 'env', { ...process.env, XAPI_HOST: HOST, XAPI_TOKEN: 'x', XDG_CONFIG_HOME: FOLDER });
    for (const stream of [process.stdout, process.stderr])
      jest.spyOn(stream, 'write').mockImplementation((text, ...others: unknown[]) => {
        log.push(String(text).trimEnd());
        (others[0] as (() => void) | undefined)?.();
        return true;
      });
  });
  afterEach(() => jest.restoreAllMocks());

  async function run(argv: string[]): Promise<void> {
    const record = createRecord(argv[0] === 'answer');
    jest.spyOn(globalThis, 'fetch').mockImplementation((input, init = {}) => {
      const { pathname, search } = new URL(input as string);
      const path = pathname.replace('/external/v1', '') + decodeURIComponent(search);
      const body = (init.body ?? '') as string;
      const parts = [init.method, path, body, ...listHeaders(init.headers as Record<string, string>)];
      log.push(parts.filter((part) => part !== '').join(' '));
      // A stream would have no end, so it is refused.
      const [status, type] = pathname.endsWith('/events') ? [404, 'problem+json'] : [200, 'json'];
      const isList = init.method === 'GET' && /\/(sessions|machines|artifacts|messages|\w+-requests)$/.test(pathname);
      const answer = { ...record, data: isList ? [record] : record, result: record };
      const headers = { 'content-type': `application/${type}`, 'x-request-id': 'req_1' };
      return Promise.resolve(new Response(JSON.stringify(answer), { headers, status: Number(status) }));
    });
    const { command, path } = findCommand(root, argv, false);
    const input = parseInput(command, path, argv);
    const terminal = new Terminal();
    terminal.isJson = input.hasFlag('json');
    jest.spyOn(terminal, 'isInteractive', 'get').mockReturnValue(true);
    jest.spyOn(terminal, 'ask').mockImplementation((question) => {
      if (ANSWERS[question] === undefined) throw new Error(`The command asks: ${question}`);
      return Promise.resolve(ANSWERS[question]);
    });
    const options = { host: undefined, isVerbose: false, retryTimeoutMs: 1, version: '1' };
    const action = await command.load!();
    await action(new CommandContext(terminal, options), input).catch((error: Error) => log.push(error.message));
  }

  /** Leaves out what every call has, and random keys. */
  const listHeaders = (headers: Record<string, string>) =>
    ['accept', 'idempotency-key', 'last-event-id']
      .map((name) => headers[name] ?? '')
      .filter((value) => value !== '' && !/^application\/json$|^text\/event-stream$|^[\da-f-]{32,36}$/.test(value))
      .map((value) => `(${value})`);

  const START = 'POST /machines/id_1/sessions';
  const SEND = 'POST /sessions/id_1/messages';
  const DECIDE = 'POST /sessions/ses_1/permission-requests/id_1/decision';
  const ROWS: [commandLine: string, expected: string][] = [
    ['logout --all', 'Logged out of http://a.test, http://b.test.'],
    ['start build-1', `${START} {"grant":true}`],
    [
      'start build-1 --agent a --cwd /b --mode c --tag d',
      `${START} {"agent":"a","cwd":"/b","mode":"c","tag":"d","grant":true}`,
    ],
    ['start build-1 --set model=opus --no-grant', `${START} {"options":{"model":"opus"}}`],
    [
      'start build-1 hi --file FILE --no-grant --idempotency-key k',
      `${START} {"content":"hi",${ATTACHED},"waitMs":0} (k)`,
    ],
    ['start build-1 hi --wait', 'GET /sessions/ses_1/turns/turn_1'],
    ['continue build-1 --agent a --cwd /b --limit 7', 'GET /machines/id_1/agent-sessions?agent=a&cwd=/b&limit=7'],
    ['continue build-1', `${START} {"agent":"a","resume":"own","fork":true,"grant":true}`],
    ['continue build-1 --no-fork', `${START} {"agent":"a","resume":"own","fork":false,"grant":true}`],
    ['continue build-1 --session s --tag d', `${START} {"resume":"s","fork":false,"tag":"d","grant":true}`],
    [
      'continue build-1 --session s --agent b --cwd /c --fork --no-grant',
      `${START} {"agent":"b","resume":"s","fork":true,"cwd":"/c"}`,
    ],
    [
      'continue build-1 hi --session s --file FILE --no-grant --idempotency-key k',
      `${START} {"resume":"s","fork":false,"content":"hi",${ATTACHED},"waitMs":0} (k)`,
    ],
    ['continue build-1 hi --session s --wait', 'GET /sessions/ses_1/turns/turn_1'],
    ['send nightly hi', 'GET /sessions?tag=nightly'],
    ['send nightly hi --file FILE --idempotency-key k', `${SEND} {"content":"hi",${ATTACHED},"waitMs":0} (k)`],
    ['send nightly hi --wait --steer', `${SEND} {"content":"hi","ifBusy":"steer","waitMs":25000}`],
    ['send nightly hi --interrupt', `${SEND} {"content":"hi","ifBusy":"interrupt","waitMs":0}`],
    ['wait nightly turn_7', 'GET /sessions/id_1/turns/turn_7'],
    ['approve nightly --allow', `${DECIDE} {"decision":"allow","contentHash":"hash"}`],
    ['approve nightly --yes', `${DECIDE} {"decision":"allow","contentHash":"hash"}`],
    ['approve nightly --reject --message no', `${DECIDE} {"decision":"reject","contentHash":"hash","message":"no"}`],
    ['approve nightly --option o2', `${DECIDE} {"optionId":"o2","contentHash":"hash"}`],
    [
      'answer nightly --set base=pg --message x',
      `${DECIDE} {"answers":{"base":"pg"},"contentHash":"hash","message":"x"}`,
    ],
    ['answer nightly --defaults', `${DECIDE} {"answers":{"base":"sqlite"},"contentHash":"hash"}`],
    ['answer nightly --decline', `${DECIDE} {"decision":"decline","contentHash":"hash"}`],
    ['options nightly --set model=opus', 'PATCH /sessions/id_1/options {"model":"opus"}'],
    ['options nightly model --json', '{"id":"model","value":"opus","values":[]}'],
    ['cancel nightly turn_7', 'POST /sessions/id_1/turns/turn_7/cancel'],
    ['end nightly', 'POST /sessions/id_1/end'],
    [
      'run build-1 --cwd /b --timeout 9s --idempotency-key k -- make -k',
      'POST /machines/id_1/invocations {"command":"make","args":["-k"],"cwd":"/b","timeoutMs":9000} (k)',
    ],
    ['run build-1 -- ls', 'POST /machines/id_1/invocations {"command":"ls","args":[],"timeoutMs":600000}'],
    ['run build-1 --timeout 61m -- ls', 'A command may run for an hour at most: --timeout 1h'],
    ['sessions', 'GET /sessions?limit=30'],
    ['machines', 'GET /machines?limit=30'],
    ['artifacts', 'GET /artifacts?limit=30'],
    ['sessions list --state active --machine build-1 --limit 7', 'GET /sessions?state=active&machineId=id_1&limit=7'],
    ['sessions show nightly', 'GET /sessions/id_1'],
    ['sessions messages nightly --turn turn_7 --limit 7', 'GET /sessions/id_1/messages?turnId=turn_7&limit=7'],
    ['machines list --state online --limit 7', 'GET /machines?state=online&limit=7'],
    ['machines show build-1', 'GET /machines/id_1'],
    ['artifacts list --session nightly --limit 7', 'GET /artifacts?sessionId=id_1&limit=7'],
    ['artifacts show art_7', 'GET /artifacts/art_7'],
    ['artifacts content art_7', 'GET /artifacts/art_7/content'],
    ['watch --types turn.ended,turn.started --after c7', 'GET /events?types=turn.ended,turn.started (c7)'],
    ['watch nightly --content', 'GET /sessions/id_1/events?content=plaintext'],
    ['watch nightly --progress', 'GET /sessions/id_1/events?content=plaintext&deltas=tool,plan'],
    [
      'webhooks create http://x.test --events turn.ended --description d',
      'POST /webhooks {"url":"http://x.test","events":["turn.ended"],"description":"d"}',
    ],
    [
      'webhooks create http://x.test --format ntfy --header a=b --idempotency-key k',
      'POST /webhooks {"url":"http://x.test","events":["*"],"format":"ntfy","headers":{"a":"b"}} (k)',
    ],
    ['webhooks delete wh_7', 'DELETE /webhooks/wh_7'],
    ['webhooks listen --forward http://x.test --types turn.ended', 'GET /events?types=turn.ended'],
    ['api http://service.test/external/v1/me', 'GET /me'],
    ['api /sessions -f state=active -F limit=5', 'GET /sessions?state=active&limit=5'],
    [
      'api POST /any --field a=5 --json-field b=5 --accept text/plain --idempotency-key k',
      'POST /any {"a":"5","b":5} (text/plain) (k)',
    ],
    ['api POST /any --input FILE', 'POST /any 7'],
  ];

  it.each(ROWS)('sends or prints what arguments and options say: %s', async (commandLine, expected) => {
    await run(commandLine.replace('FILE', FILE).split(' '));
    expect(log).toContain(expected);
  });

  it.each([
    ['start build-1 --file FILE', '--file needs a first message.'],
    ['continue build-1 --session s --wait', '--wait needs a first message.'],
    ['continue build-1 --fork --no-fork', '--fork and --no-fork exclude one another.'],
    ['send nightly hi --steer --interrupt', '--steer and --interrupt exclude each other.'],
    ['approve nightly --allow --reject', '--allow, --reject and --option exclude one another.'],
    ['approve nightly --yes --option o2', '--allow, --reject and --option exclude one another.'],
    ['answer nightly --decline --defaults', '--decline excludes --set and --defaults.'],
    ['answer nightly --decline --set base=pg', '--decline excludes --set and --defaults.'],
    ['answer nightly --set other=pg', 'There is no field "other".'],
    ['options nightly effort', 'The agent has no option effort.'],
    ['watch --progress', '--content and --progress need a session.'],
    [
      'webhooks listen --forward ftp://x.test',
      '--forward takes an http or https address, such as http://localhost:4000/hooks.',
    ],
  ])('changes nothing and says why: %s', async (commandLine, message) => {
    await run(commandLine.replace('FILE', FILE).split(' '));
    expect(log.at(-1)).toBe(message);
    expect(log.filter((line) => /^(POST|PATCH|DELETE) /.test(line))).toEqual([]);
  });

  it('has a row above or another test for each argument and option', () => {
    const used = ROWS.flatMap(([commandLine]) => {
      const argv = commandLine.split(' ');
      const { command, path } = findCommand(root, argv, false);
      const input = parseInput(command, path, argv);
      return listNames(command, path).filter((name) => {
        const last = name.split(' ').at(-1)!;
        return input.hasFlag(last.replace('--', '')) || input.findArgument(last) !== undefined;
      });
    });
    const all = listCommands(root).flatMap(({ command, path }) => listNames(command, path));
    expect(all.filter((name) => !used.includes(name)).sort()).toEqual([...TESTED_ELSEWHERE].sort());
  });
});

const listCommands = (command: CommandSpec, path: string[] = []): { command: CommandSpec; path: string[] }[] =>
  command.subcommands?.flatMap((one) => listCommands(one, [...path, one.name])) ?? [{ command, path }];

const listNames = ({ args = [], options = [] }: CommandSpec, path: string[]) =>
  [...args.map(({ name }) => name), ...options.map(({ name }) => `--${name}`)].map((name) => [...path, name].join(' '));
