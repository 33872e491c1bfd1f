import type { CommandAction } from '../command-line/command-spec.ts';
import { resolveSessionId } from '../resolve-names.ts';

export const end: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('end sessions');
  const client = context.createClient();
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const { state } = await client.sessions.end(sessionId);
  if (terminal.isJson) terminal.writeJson({ sessionId, state });
  else terminal.writeLine('The session has ended.');
};
