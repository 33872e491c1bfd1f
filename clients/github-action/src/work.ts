import {
  ApiError,
  SealedContentError,
  WaitTimeoutError,
  type ExternalApiClient,
  type Invocation,
} from '@external-api/client';
import { describeError } from './describe-error.ts';
import { findMachineId } from './find-machine.ts';
import type { Command, Message, TurnWait } from './inputs.ts';
import { reportError, reportWarning, type Result } from './runner.ts';

type Invocations = ReturnType<ExternalApiClient['machines']['invocations']>;

/** Sends a message and waits for its turn. A cancellation cancels the turn. */
export async function sendMessage(client: ExternalApiClient, work: Message, signal: AbortSignal): Promise<Result> {
  const { sessionId, text } = work;
  const { turnId } = await client.sessions.send(sessionId, text);
  if (turnId !== null) return waitForTurn(client, { sessionId, turnId }, work, signal);
  return { exitCode: null, sessionId, turnId, errorOutput: '', status: 'delivered', isSuccess: true, output: '' };
}

/**
 * Waits until the turn has ended, or requires a decision and the step doesn't wait for it. Never rejects: the agent may
 * work on, so the step must set the IDs of the session and the turn whatever fails.
 */
export async function waitForTurn(
  client: ExternalApiClient,
  { sessionId, turnId }: { sessionId: string; turnId: string },
  { timeoutMs, waitsForDecisions }: TurnWait,
  signal: AbortSignal,
): Promise<Result> {
  const base = { exitCode: null, sessionId, turnId, isSuccess: false, output: '', errorOutput: '' };
  const until = waitsForDecisions ? 'turn.ended' : 'turn.requires_action';
  const fail = (error: unknown) => {
    reportError(`The turn ${turnId} of the session ${sessionId} may go on. ${describeError(error)}`);
    return { ...base, status: 'error' };
  };
  const cancel = async () => ({ ...base, status: (await client.sessions.cancelTurn(sessionId, turnId)).state });
  try {
    const { state } = await client.sessions.waitForTurn(sessionId, turnId, { until, timeoutMs, signal });
    const output = await readReply(client, sessionId, turnId);
    return { ...base, status: state, isSuccess: state === 'completed', output };
  } catch (error) {
    if (signal.aborted) return cancel().catch(fail);
    return error instanceof WaitTimeoutError ? { ...base, status: 'timed_out' } : fail(error);
  }
}

/** Returns what the agent has said, as far as it can be read. Never rejects: the turn has its state. */
async function readReply(client: ExternalApiClient, sessionId: string, turnId: string): Promise<string> {
  const texts: string[] = [];
  try {
    for await (const { id } of client.sessions.messages(sessionId, { turnId, role: 'assistant', order: 'asc' })) {
      texts.push((await client.content(sessionId, id)).text);
    }
  } catch (error) {
    // The session may not be shared with the token.
    const isRefused = error instanceof ApiError && error.status === 403;
    if (!isRefused && !(error instanceof SealedContentError))
      reportWarning(`The reply is incomplete. ${describeError(error)}`);
  }
  return texts.join('\n\n');
}

/** Runs a command to its end. A cancellation cancels it. Rejects only if the command has not been started. */
export async function runCommand(client: ExternalApiClient, work: Command, signal: AbortSignal): Promise<Result> {
  const invocations = client.machines.invocations(await findMachineId(client, work.machine));
  const [command, ...args] = work.command;
  const { id } = await invocations.start({ command, args, timeoutMs: work.timeoutMs });
  const base = { sessionId: null, turnId: null };
  try {
    const { state, exitCode } = await waitForEnd(invocations, id, signal);
    return {
      ...base,
      status: state,
      isSuccess: state === 'completed' && exitCode === 0,
      exitCode,
      output: await readOutput(invocations, id, 'stdout'),
      errorOutput: await readOutput(invocations, id, 'stderr'),
    };
  } catch (error) {
    reportError(`The command ${id} may go on. ${describeError(error)}`);
    return { ...base, status: 'error', isSuccess: false, exitCode: null, output: '', errorOutput: '' };
  }
}

async function waitForEnd(invocations: Invocations, id: string, signal: AbortSignal): Promise<Invocation> {
  try {
    return await invocations.wait(id, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    await invocations.cancel(id);
    return invocations.wait(id);
  }
}

/** Returns the output as far as it can be read. Never rejects: the command has its state. */
async function readOutput(invocations: Invocations, id: string, stream: 'stdout' | 'stderr'): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for (let offset = 0; ;) {
      const { bytes, nextOffset, totalBytes } = await invocations.output(id, { stream, offset });
      chunks.push(bytes);
      // Positions of a defective machine must not keep the step for ever.
      if (nextOffset >= totalBytes || !(nextOffset > offset)) break;
      offset = nextOffset;
    }
  } catch (error) {
    reportWarning(`The output in ${stream} is incomplete. ${describeError(error)}`);
  }
  return Buffer.concat(chunks);
}
