import { ApiError, type ExternalApiClient } from '../index.ts';
import type { CommandContext } from './command-context.ts';
import { CommandInput } from './command-line/command-input.ts';
import { api } from './commands/api.ts';
import { cancel } from './commands/cancel.ts';
import { listMessages } from './commands/messages.ts';

const SESSION = `ses_${'0'.repeat(26)}`;

describe('a command', () => {
  let written: unknown[];
  let notices: string[];
  beforeEach(() => {
    written = [];
    notices = [];
  });

  const run = (command: typeof api, client: object, args: Record<string, string>, isJson = true) => {
    const terminal = {
      isJson,
      isOutputTerminal: false,
      writeJson: (value: unknown) => written.push(value),
      writeNotice: (text: string) => notices.push(text),
    };
    const context = { terminal, createClient: () => client as ExternalApiClient, credential: { host: 'https://x' } };
    return command(
      context as unknown as CommandContext,
      new CommandInput(new Map(Object.entries(args)), new Map(), []),
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
});
