import {
  ApiError,
  SealedContentError,
  WaitTimeoutError,
  type ExternalApiClient,
  type Invocation,
} from '@external-api/client';
import type { Command, Message } from './inputs.ts';
import type { Result } from './runner.ts';

type Invocations = ReturnType<ExternalApiClient['machines']['invocations']>;

/** Sends a message and waits until its turn has ended or requires a decision. A cancellation cancels the turn. */
export async function sendMessage(client: ExternalApiClient, work: Message, signal: AbortSignal): Promise<Result> {
  const { sessionId, text, timeoutMs } = work;
  const sent = await client.sessions.send(sessionId, text);
  const { turnId } = sent;
  const base = { exitCode: null, turnId, errorOutput: '' };
  if (turnId === null) return { ...base, status: 'delivered', isSuccess: true, output: '' };
  try {
    const turn = await client.sessions.waitForTurn(sessionId, turnId, {
      until: 'turn.requires_action',
      timeoutMs,
      signal,
    });
    const output = await readReply(client, sessionId, turnId);
    return { ...base, status: turn.state, isSuccess: turn.state === 'completed', output };
  } catch (error) {
    if (signal.aborted) {
      const { state } = await client.sessions.cancelTurn(sessionId, turnId);
      return { ...base, status: state, isSuccess: false, output: '' };
    }
    if (!(error instanceof WaitTimeoutError)) throw error;
    return { ...base, status: 'timed_out', isSuccess: false, output: '' };
  }
}

/** Returns what the agent has said, as far as the session is shared with the token. */
async function readReply(client: ExternalApiClient, sessionId: string, turnId: string): Promise<string> {
  const texts: string[] = [];
  try {
    for await (const { id } of client.sessions.messages(sessionId, { turnId, role: 'assistant', order: 'asc' })) {
      texts.push((await client.content(sessionId, id)).text);
    }
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 403;
    if (!isRefused && !(error instanceof SealedContentError)) throw error;
  }
  return texts.join('\n\n');
}

/** Runs a command to its end. A cancellation cancels it. */
export async function runCommand(client: ExternalApiClient, work: Command, signal: AbortSignal): Promise<Result> {
  const invocations = client.machines.invocations(work.machineId);
  const [command, ...args] = work.command;
  const { id } = await invocations.start({ command, args, timeoutMs: work.timeoutMs });
  const ended = await waitForEnd(invocations, id, signal);
  const { state, exitCode } = ended;
  return {
    status: state,
    isSuccess: state === 'completed' && exitCode === 0,
    exitCode,
    turnId: null,
    output: await readAll(invocations, id, 'stdout'),
    errorOutput: await readAll(invocations, id, 'stderr'),
  };
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

async function readAll(invocations: Invocations, id: string, stream: 'stdout' | 'stderr'): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; ;) {
    const { bytes, nextOffset, totalBytes } = await invocations.output(id, { stream, offset });
    chunks.push(bytes);
    offset = nextOffset;
    if (offset >= totalBytes) return Buffer.concat(chunks);
  }
}
