import { randomUUID } from 'node:crypto';
import { WaitTimeoutError, type IfBusy } from '../../index.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { CliError, EXIT, TurnWaitError, UsageError } from '../errors.ts';
import { Interruption, interrupts } from '../interrupts.ts';
import { readAttachments } from '../read-attachments.ts';
import { readMessage } from '../read-message.ts';
import { resolveSessionId } from '../resolve-names.ts';
import { createTurnStatus, DEFAULT_WAIT_MS, reportTurn } from '../turns.ts';

export const send: CommandAction = async (context, input) => {
  const { terminal } = context;
  const isWaiting = input.hasFlag('wait');
  const ifBusy = findIfBusy(input);
  const timeoutMs = input.findDurationMs('timeout') ?? DEFAULT_WAIT_MS;
  const client = context.createClient();
  const text = await readMessage(input.getArgument('TEXT'));
  const attachments = await readAttachments(input.listOption('file'));
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const idempotencyKey = input.findOption('idempotency-key') ?? randomUUID();
  const showStatus = createTurnStatus(context);
  let turnId: string | undefined;
  /** How to get the result of this very message later. */
  const describeResume = () =>
    turnId === undefined
      ? `Repeat the same command with:  --idempotency-key ${idempotencyKey}`
      : `The agent works on. Wait again:\n  xapi wait ${sessionId} ${turnId}`;
  if (isWaiting && !terminal.isJson) terminal.showStatus('Sending ...');
  try {
    const result = await client.sessions.send(sessionId, text, {
      until: isWaiting ? 'turn.requires_action' : 'accepted',
      attachments,
      idempotencyKey,
      ifBusy,
      signal: interrupts.createSignal(),
      timeoutMs,
      onAccepted: (id) => {
        turnId = id;
      },
      onEvent: (turn) => {
        turnId = turn.id;
        showStatus(turn);
      },
    });
    const { turn, state, reply, steered } = result;
    const answer = { sessionId, turnId: result.turnId, state, turn, reply, ...(steered !== undefined && { steered }) };
    if (steered === false && !terminal.isJson) terminal.writeNotice('No turn was running. The message has begun one.');
    if (isWaiting) return await reportTurn(context, client, answer);
    if (terminal.isJson) terminal.writeJson({ ...answer, requestId: result.requestId, idempotencyKey });
    else terminal.writeLine(result.turnId ?? 'Delivered.');
    return EXIT.done;
  } catch (error) {
    if (error instanceof Interruption) {
      terminal.writeNotice(`\nInterrupted. ${describeResume()}`);
      throw error;
    }
    const hint = turnId === undefined ? { hint: describeResume() } : {};
    const timeout = { exitCode: EXIT.timeout, code: 'timeout', ...hint };
    const failure = error instanceof WaitTimeoutError ? new CliError('The time to wait is over.', timeout) : error;
    throw turnId === undefined ? failure : new TurnWaitError(failure, { sessionId, turnId });
  }
};

function findIfBusy(input: CommandInput): IfBusy | undefined {
  const isInterrupting = input.hasFlag('interrupt');
  if (!input.hasFlag('steer')) return isInterrupting ? 'interrupt' : undefined;
  if (isInterrupting) throw new UsageError('--steer and --interrupt exclude each other.', 'See: xapi send --help');
  return 'steer';
}
