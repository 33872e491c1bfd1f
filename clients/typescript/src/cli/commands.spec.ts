import { ApiError, ExternalApiClient } from '../index.ts';
import type { CommandContext } from './command-context.ts';
import { CommandInput } from './command-line/command-input.ts';
import { api } from './commands/api.ts';
import { approve } from './commands/approve.ts';
import { listArtifacts, printContent } from './commands/artifacts.ts';
import { cancel } from './commands/cancel.ts';
import { listMachines, showMachine } from './commands/machines.ts';
import { listMessages } from './commands/messages.ts';
import { runCommand } from './commands/run-command.ts';
import { listSessions } from './commands/sessions.ts';
import { wait } from './commands/wait.ts';
import { watch } from './commands/watch.ts';
import { describeError } from './describe-error.ts';
import { toVisibleText } from './output/visible-text.ts';
import { createRecordedClient } from '../testing/recorded-client.ts';

const SESSION = `ses_${'0'.repeat(26)}`;
const MACHINE = `mch_${'0'.repeat(26)}`;

describe('a command', () => {
  let written: unknown[];
  let notices: string[];
  beforeEach(() => {
    written = [];
    notices = [];
  });

  const run = (
    command: typeof api,
    client: object,
    args: Record<string, string>,
    isJson = true,
    options: Record<string, string[]> = {},
  ) => {
    const terminal = {
      isJson,
      isOutputTerminal: false,
      width: Infinity,
      style: (_: string, text: string) => text,
      show: (text: string) => text,
      showText: toVisibleText,
      writeLine: (line: string) => written.push(line),
      writeJson: (value: unknown) => void written.push(value),
      writeNotice: (text: string) => notices.push(text),
      showStatus: () => undefined,
    };
    const context = {
      terminal,
      now: 0,
      createClient: () => client as ExternalApiClient,
      credential: { host: 'https://x' },
      requireToken: () => undefined,
    };
    return command(
      context as unknown as CommandContext,
      new CommandInput(new Map(Object.entries(args)), new Map(Object.entries(options)), []),
    );
  };
  const turnsOf =
    (ids: Record<string, string[]>) =>
    (_: string, { state }: { state: string }) =>
      (ids[state] ?? []).map((id) => ({ id }));

  it('cancels queued turns before the running one, whose end would begin them', async () => {
    const turns = turnsOf({ running: ['turn_1'], requires_action: ['turn_2'], queued: ['turn_3', 'turn_4'] });
    const cancelled: string[] = [];
    const cancelTurn = (_: string, id: string) => Promise.resolve({ state: (cancelled.push(id), 'cancelled') });
    await run(cancel, { sessions: { turns, cancelTurn } }, { SESSION });
    expect(cancelled).toEqual(['turn_3', 'turn_4', 'turn_2', 'turn_1']);
    expect(written).toEqual([{ sessionId: SESSION, turns: cancelled.map((id) => ({ id, state: 'cancelled' })) }]);
  });

  it('fails if no turn is open to cancel', async () => {
    const client = { sessions: { turns: turnsOf({}) } };
    await expect(run(cancel, client, { SESSION })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('prints the problem document of a call that was refused, and fails', async () => {
    const problem = { code: 'not_found', status: 404 };
    const error = new ApiError({ message: 'x', status: 404, code: 'not_found', problem } as never);
    await expect(run(api, { request: () => Promise.reject(error) }, { PATH: '/me' })).rejects.toBe(error);
    expect(written).toEqual([problem]);
  });

  it('decides with the option that is named', async () => {
    const request = { id: 'perm_1', sessionId: SESSION, turnId: 'turn_1', options: [{}, {}] };
    const decisions: unknown[] = [];
    const sessions = {
      permissionRequests: () => ({ toArray: () => Promise.resolve([request]) }),
      permissionContent: () => Promise.resolve({ text: '{}', contentHash: 'hash' }),
      decide: (_: string, id: string, decision: object) =>
        Promise.resolve({ state: 'allowed', optionId: (decisions.push({ id, ...decision }), 'o2') }),
    };
    await run(approve, { sessions }, { 'SESSION|PERMISSION': SESSION }, true, { option: ['o2'] });
    expect(decisions).toEqual([{ id: 'perm_1', optionId: 'o2', contentHash: 'hash' }]);
    expect(written).toEqual([[expect.objectContaining({ id: 'perm_1', state: 'allowed', optionId: 'o2' })]]);
  });

  it.each([
    ['visible for people on a terminal', true, ['a\\u{1b}[2Jb\n']],
    ['untouched in a file', false, ['a\x1b[2Jb\n']],
  ])('prints an artifact with characters that a terminal would obey %s', async (_, isOutputTerminal, expected) => {
    const text = 'a\x1b[2Jb\n';
    const client = { artifacts: { content: () => Promise.resolve({ text, bytes: Buffer.from(text) }) } };
    const terminal = {
      isOutputTerminal,
      showText: toVisibleText,
      writeLine: (line: string) => written.push(line),
      writeBytes: (_stream: string, bytes: Uint8Array) => Promise.resolve(written.push(Buffer.from(bytes).toString())),
    };
    const context = { terminal, createClient: () => client } as unknown as CommandContext;
    await printContent(context, new CommandInput(new Map([['ARTIFACT', 'art_1']]), new Map(), []));
    expect(written).toEqual(expected);
  });

  it('says that a session has no messages', async () => {
    const messages = () => ({ toArray: () => Promise.resolve([]) });
    await run(listMessages, { sessions: { messages } }, { SESSION }, false);
    expect(notices).toEqual(['There are no messages.']);
  });

  it.each([
    [{ status: 'failed', exitCode: 2, output: 'out\x1b[2J\n' }, 'npm test: failed, exit code 2\nout\\u{1b}[2J\n'],
    [{ status: 'completed', output: '', diff: '+a' }, 'npm test: completed\n+a\n'],
    [{}, 'npm test\n'],
  ])('prints a tool call with its state and what it wrote or changed: %j', async (members, expected) => {
    const message = { id: 'msg_1', role: 'tool', seq: 7, createdAt: 0 };
    const client = {
      sessions: { messages: () => ({ toArray: () => Promise.resolve([message]) }) },
      content: () => Promise.resolve({ text: JSON.stringify({ title: 'npm test', ...members }) }),
    };
    await run(listMessages, client, { SESSION }, false);
    expect(written).toEqual(['tool #7, now', expected]);
  });

  it.each([
    ['message.created', { id: 'msg_1', sessionId: 'ses_1', role: 'user' }, 'ses_1  user'],
    ['turn.ended', { id: 'turn_1', state: 'failed', errorCode: 'agent_lost' }, 'turn_1  failed  agent_lost'],
    ['permission.requested', { id: 'perm_1', kind: 'edit', state: 'pending' }, 'perm_1  edit  pending'],
    ['machine.online', { id: 'mch_1', name: 'build' }, 'build  mch_1'],
    ['invocation.ended', { id: 'inv_1', state: 'completed', exitCode: 0 }, 'inv_1  completed  0'],
    ['artifact.created', { id: 'art_1', mediaType: 'text/plain' }, 'art_1  text/plain'],
    ['session.ended', { id: 'ses_1', state: 'ended' }, 'ses_1  ended'],
  ])('prints what tells most about the event %s', async (type, data, summary) => {
    await run(watch, { events: () => [{ id: 'evt_1', type, timestamp: 0, data }] }, {}, false);
    expect(written).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d {2}/)]);
    expect(String(written[0]).slice(10)).toBe(`${type.padEnd(22)}  ${summary}`);
  });

  it.each([
    ['machines', listMachines],
    ['sessions', listSessions],
    ['artifacts', listArtifacts],
  ])('lists as many %s as --limit says', async (_, list) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };
    let pages = 0;
    const fetch = () => {
      const nextCursor = ++pages < 3 ? `page-${pages}` : null;
      const page = { data: [{ id: 'first' }, { id: 'second' }], nextCursor };
      return Promise.resolve(new Response(JSON.stringify(page), { headers }));
    };
    const client = new ExternalApiClient({ baseUrl: 'https://x', token: 'x', fetch });
    await run(list, client, {}, true, { limit: ['3'] });
    expect(written).toEqual([['first', 'second', 'first'].map((id) => expect.objectContaining({ id }))]);
  });

  it.each<[string, typeof api, unknown]>([
    ['reports a turn', wait, { state: 'completed', reply: null }],
    ['lists messages', listMessages, [{ id: 'msg_1', text: null }]],
  ])('%s of a session that is shared with a key of the user, without the texts', async (_, command, expected) => {
    const path = `/sessions/${SESSION}`;
    const { client } = createRecordedClient({
      [`GET ${path}/turns/turn_1`]: { data: { id: 'turn_1', state: 'completed', version: 1 } },
      [`GET ${path}/messages`]: { data: [{ id: 'msg_1' }], nextCursor: null },
      [`GET ${path}/messages/msg_1/content`]: { data: { encoding: 'sealed' } },
    });
    expect((await run(command, client, { SESSION, TURN: 'turn_1' })) ?? 0).toBe(0);
    expect(written).toMatchObject([expected]);
    await run(command, client, { SESSION, TURN: 'turn_1' }, false);
    expect(notices).toEqual([expect.stringContaining('key of yours, which xapi does not have.')]);
  });

  it('uses the machine of exactly this name, and none if several have it', async () => {
    const machines = [
      { id: 'mch_1', name: 'build', state: 'online' },
      { id: 'mch_2', name: 'build', state: 'offline' },
      { id: 'mch_3', name: 'Build', state: 'online' },
    ];
    const list = () => ({ toArray: () => Promise.resolve(machines) });
    const show = (name: string) =>
      run(showMachine, { machines: { list, get: (id: string) => Promise.resolve(id) } }, { MACHINE: name });
    await expect(show('build')).rejects.toMatchObject({
      code: 'ambiguous_name',
      hint: 'Use an ID: mch_1 (online), mch_2 (offline)',
    });
    await expect(show('BUILD')).rejects.toMatchObject({ code: 'ambiguous_name' });
    await show('Build');
    expect(written).toEqual(['mch_3']);
  });

  it('says that a command may have run whose output can not be read', async () => {
    const away = new ApiError({ status: 503, code: 'no_online_device', message: 'Away.', outcome: 'not_delivered' });
    const invocations = {
      start: () => Promise.resolve({ id: 'inv_1' }),
      follow: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(away) }) }),
    };
    const client = { machines: { invocations: () => invocations } };
    const error: unknown = await run(runCommand, client, { MACHINE }).catch((thrown: unknown) => thrown);
    expect(describeError(error, undefined)).toEqual({
      message: 'Away.',
      hint: expect.stringContaining('started as inv_1, and may still run'),
      exitCode: 5,
      code: 'no_online_device',
      outcome: 'unknown',
      machineId: expect.stringMatching(/^mch_/),
      invocationId: 'inv_1',
    });
  });

  it.each([
    ['that somebody else has cancelled', 'cancelled', null, 'Somebody else cancelled the command.'],
    ['whose device is away', 'lost', null, 'The device has been away for 15 minutes. The command may still run.'],
    ['that could not run', 'failed', 'cwd_not_found', 'The command did not run to its end. The folder does not exist.'],
  ])('fails to run a command %s, and says so', async (_, state, errorCode, message) => {
    const ended = { state, errorCode, exitCode: null, signal: null };
    const invocations = {
      start: () => Promise.resolve({ id: 'inv_1' }),
      follow: () => [],
      wait: () => Promise.resolve(ended),
    };
    const client = { machines: { invocations: () => invocations } };
    const failed = { message, code: errorCode ?? state };
    await expect(run(runCommand, client, { MACHINE })).rejects.toMatchObject(failed);
    expect(written).toEqual([{ type: 'invocation', invocation: ended }]);
  });
});
