import { ApiError, ExternalApiClient } from '../index.ts';
import type { CommandContext } from './command-context.ts';
import { CommandInput } from './command-line/command-input.ts';
import { api } from './commands/api.ts';
import { listArtifacts } from './commands/artifacts.ts';
import { cancel } from './commands/cancel.ts';
import { listMachines, showMachine } from './commands/machines.ts';
import { listMessages } from './commands/messages.ts';
import { runCommand } from './commands/run-command.ts';
import { listSessions } from './commands/sessions.ts';

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
      writeJson: (value: unknown) => written.push(value),
      writeNotice: (text: string) => notices.push(text),
    };
    const context = {
      terminal,
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

  it('says that a session has no messages', async () => {
    const messages = () => ({ toArray: () => Promise.resolve([]) });
    await run(listMessages, { sessions: { messages } }, { SESSION }, false);
    expect(notices).toEqual(['There are no messages.']);
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
