import type { CommandAction } from '../command-line/command-spec.ts';
import { resolveMachineId } from '../resolve-names.ts';

export const start: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('start sessions');
  const client = context.createClient();
  const machineId = await resolveMachineId(client, input.getArgument('MACHINE'));
  const session = {
    agent: input.findOption('agent'),
    cwd: input.findOption('cwd'),
    mode: input.findOption('mode'),
    tag: input.findOption('tag'),
  };
  if (!terminal.isJson) terminal.showStatus('Starting the agent ...');
  const { sessionId } = await client.machines.start(machineId, session, {
    idempotencyKey: input.findOption('idempotency-key'),
  });
  if (terminal.isJson) return terminal.writeJson({ sessionId, machineId });
  terminal.writeLine(sessionId);
  if (terminal.isOutputTerminal) terminal.writeNotice(`Talk to the agent: xapi send ${sessionId} "…" --wait`);
};
