import { beginSession, readFirstMessage } from '../begin-session.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { findOptionValues } from '../option-values.ts';
import { resolveMachineId } from '../resolve-names.ts';

export const start: CommandAction = async (context, input) => {
  context.requireToken('start sessions');
  const client = context.createClient();
  const message = await readFirstMessage('start', input);
  const machineId = await resolveMachineId(client, input.getArgument('MACHINE'));
  const session = {
    agent: input.findOption('agent'),
    cwd: input.findOption('cwd'),
    mode: input.findOption('mode'),
    tag: input.findOption('tag'),
    options: findOptionValues(input),
    ...message,
  };
  return beginSession(context, client, machineId, session, input);
};
