import type { CommandAction } from '../command-line/command-spec.ts';
import { CliError } from '../errors.ts';
import { resolveSessionId } from '../resolve-names.ts';
import { styleTurnState } from '../turns.ts';

const OPEN_STATES = ['running', 'requires_action', 'queued'] as const;

export const cancel: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const named = input.findArgument('TURN');
  const turnIds = named === undefined ? [] : [named];
  // Queued turns first: otherwise the next one would run as soon as the running one has ended.
  for (const state of named === undefined ? [...OPEN_STATES].reverse() : [])
    for await (const { id } of client.sessions.turns(sessionId, { state })) turnIds.push(id);
  if (turnIds.length === 0) throw new CliError('No turn of this session is open.', { code: 'not_found' });
  const turns: { id: string; state: string }[] = [];
  for (const id of turnIds) {
    const { state } = await client.sessions.cancelTurn(sessionId, id);
    turns.push({ id, state });
    if (!terminal.isJson) terminal.writeLine(`${id}  ${styleTurnState(terminal, state)}`);
  }
  if (terminal.isJson) terminal.writeJson({ sessionId, turns });
};
