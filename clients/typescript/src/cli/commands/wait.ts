import type { CommandAction } from '../command-line/command-spec.ts';
import { CliError } from '../errors.ts';
import { resolveSessionId } from '../resolve-names.ts';
import { waitAndReport } from '../turns.ts';

export const wait: CommandAction = async (context, input) => {
  const timeoutMs = input.findDurationMs('timeout');
  const client = context.createClient();
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const turnId =
    input.findArgument('TURN') ?? (await client.sessions.turns(sessionId, { limit: 1 }).page()).data[0]?.id;
  if (turnId === undefined) throw new CliError('This session has no turns.', { code: 'not_found' });
  return waitAndReport(context, client, { sessionId, turnId }, timeoutMs);
};
