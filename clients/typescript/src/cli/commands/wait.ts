import type { CommandAction } from '../command-line/command-spec.ts';
import { CliError, EXIT } from '../errors.ts';
import { Interruption, interrupts } from '../interrupts.ts';
import { resolveSessionId } from '../resolve-names.ts';
import { createTurnStatus, reportTurn } from '../turns.ts';
import { WaitTimeoutError } from '../../index.ts';

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

export const wait: CommandAction = async (context, input) => {
  const { terminal } = context;
  const timeoutMs = input.findDurationMs('timeout') ?? DEFAULT_TIMEOUT_MS;
  const client = context.createClient();
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const turnId =
    input.findArgument('TURN') ?? (await client.sessions.turns(sessionId, { limit: 1 }).page()).data[0]?.id;
  if (turnId === undefined) throw new CliError('This session has no turns.', { code: 'not_found' });
  const again = `The agent works on. Wait again:\n  xapi wait ${sessionId} ${turnId}`;
  try {
    const turn = await client.sessions.waitForTurn(sessionId, turnId, {
      until: 'turn.requires_action',
      signal: interrupts.createSignal(),
      timeoutMs,
      onEvent: createTurnStatus(context),
    });
    return await reportTurn(context, client, { sessionId, turnId, state: turn.state, turn, reply: null });
  } catch (error) {
    if (error instanceof WaitTimeoutError)
      throw new CliError('The time to wait is over.', { exitCode: EXIT.timeout, code: 'timeout', hint: again });
    if (error instanceof Interruption) terminal.writeNotice(`\nInterrupted. ${again}`);
    throw error;
  }
};
