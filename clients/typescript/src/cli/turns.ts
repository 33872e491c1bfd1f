import { ApiError, SealedContentError, WaitTimeoutError, type ExternalApiClient, type Turn } from '../index.ts';
import type { CommandContext } from './command-context.ts';
import { CliError, EXIT, TurnWaitError } from './errors.ts';
import { Interruption, interrupts } from './interrupts.ts';
import { formatDuration } from './output/relative-time.ts';
import type { Terminal, TextStyle } from './output/terminal.ts';

type TurnState = Turn['state'];

/** How long commands wait for a turn by default. */
export const DEFAULT_WAIT_MS = 30 * 60_000;

const STYLES: Record<TurnState, TextStyle> = {
  queued: 'dim',
  running: 'cyan',
  requires_action: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  lost: 'red',
};
const EXIT_CODES: Partial<Record<TurnState, number>> = {
  completed: EXIT.done,
  requires_action: EXIT.requiresAction,
  // The device may still report another end.
  lost: EXIT.outcomeUnknown,
};
const ERRORS: Record<string, string> = {
  agent_auth_required: 'The agent needs a login on its machine.',
  agent_session_unavailable: 'The agent could not open the session. Send the message again later.',
  agent_lost: 'The agent ended in the middle. Check what it has done before you send the message again.',
  agent_silent: 'The agent did not answer.',
  agent_error: 'The agent reported an error.',
  turn_timeout: 'The turn took too long.',
};

/** What a command that waits for a turn knows in the end. */
export interface TurnResult {
  sessionId: string;
  turnId: string | null;
  state: TurnState | null;
  turn: Turn | null;
  reply: string | null;
}

export function styleTurnState(terminal: Terminal, state: TurnState): string {
  return terminal.style(STYLES[state], state.replace('_', ' '));
}

/** Shows each state of a turn while a command waits for it. */
export function createTurnStatus({ terminal }: CommandContext): (turn: Turn) => void {
  const startedAt = performance.now();
  return ({ state }) => {
    if (!terminal.isJson)
      terminal.showStatus(`${state.replace('_', ' ')} (${formatDuration(performance.now() - startedAt)}) ...`);
  };
}

/**
 * Waits until the turn has ended or requires a decision, and reports it. Returns the exit code.
 * @param ids members of the JSON result
 * @throws TurnWaitError, {@link Interruption}
 */
export async function waitAndReport(
  context: CommandContext,
  client: ExternalApiClient,
  ids: { sessionId: string; turnId: string },
  timeoutMs = DEFAULT_WAIT_MS,
): Promise<number> {
  const { sessionId, turnId } = ids;
  try {
    const turn = await client.sessions.waitForTurn(sessionId, turnId, {
      until: 'turn.requires_action',
      signal: interrupts.createSignal(),
      timeoutMs,
      onEvent: createTurnStatus(context),
    });
    return await reportTurn(context, client, { ...ids, state: turn.state, turn, reply: null });
  } catch (error) {
    if (error instanceof Interruption) {
      const again = `The agent works on. Wait again:\n  xapi wait ${sessionId} ${turnId}`;
      context.terminal.writeNotice(`\nInterrupted. ${again}`);
      throw error;
    }
    const isLate = error instanceof WaitTimeoutError;
    const timeout = { exitCode: EXIT.timeout, code: 'timeout' };
    throw new TurnWaitError(isLate ? new CliError('The time to wait is over.', timeout) : error, { sessionId, turnId });
  }
}

/** Writes what the agent said, and how the turn ended. Returns the exit code. */
export async function reportTurn(
  context: CommandContext,
  client: ExternalApiClient,
  result: TurnResult,
): Promise<number> {
  const { terminal } = context;
  const { sessionId, turnId, state, turn } = result;
  const hasEnded = state !== null && state !== 'requires_action';
  const reply =
    result.reply ?? (hasEnded && turnId !== null ? await readReply(context, client, sessionId, turnId) : null);
  if (terminal.isJson) terminal.writeJson({ ...result, reply });
  else if (reply !== null) terminal.writeLine(terminal.showText(reply));
  // A session without an agent has no turn.
  if (state === null) return EXIT.done;
  if (!terminal.isJson) explainState(terminal, sessionId, turnId, state, turn?.errorCode ?? null);
  return EXIT_CODES[state] ?? EXIT.failed;
}

function explainState(
  terminal: Terminal,
  sessionId: string,
  turnId: string | null,
  state: TurnState,
  errorCode: string | null,
): void {
  const then = `xapi wait ${sessionId} ${turnId ?? ''}`.trim();
  if (state === 'requires_action')
    terminal.writeNotice(
      'The agent asks for a permission, or it asks a question. Decide or answer, then wait again:\n' +
        `  xapi approve ${sessionId}\n  xapi answer ${sessionId}\n  ${then}`,
    );
  else if (state === 'failed')
    terminal.writeNotice(`The turn failed. ${ERRORS[errorCode ?? ''] ?? errorCode ?? ''}`.trim());
  else if (state === 'cancelled')
    terminal.writeNotice('The turn was cancelled. The agent may have done a part of the work.');
  else if (state === 'lost')
    terminal.writeNotice(`The device has been away for 15 minutes. The turn may go on. Wait again:\n  ${then}`);
}

/** Reads what the agent said in a turn, if the session is shared with the token. */
async function readReply(
  { terminal }: CommandContext,
  client: ExternalApiClient,
  sessionId: string,
  turnId: string,
): Promise<string | null> {
  try {
    const query = { turnId, role: 'assistant', order: 'asc' } as const;
    const texts: string[] = [];
    for await (const message of client.sessions.messages(sessionId, query))
      texts.push((await client.content(sessionId, message)).text);
    return texts.length > 0 ? texts.join('\n\n') : null;
  } catch (error) {
    const isSealed = error instanceof SealedContentError;
    const isRefused =
      error instanceof ApiError && (error.code === 'no_content_grant' || error.code === 'insufficient_scope');
    if (!isSealed && !isRefused) throw error;
    const reason = isSealed ? 'for a key of yours, which xapi does not have' : 'and not shared with this token';
    if (!terminal.isJson) terminal.writeNotice(`What the agent said is encrypted ${reason}.`);
    return null;
  }
}
