import { randomUUID } from 'node:crypto';
import { ApiError, type ExternalApiClient, type StartedSession, type StartSession } from '../index.ts';
import type { CommandContext } from './command-context.ts';
import type { CommandInput } from './command-line/command-input.ts';
import { UsageError } from './errors.ts';
import { Interruption, interrupts } from './interrupts.ts';
import { readAttachments } from './read-attachments.ts';
import { readMessage } from './read-message.ts';
import { waitAndReport } from './turns.ts';

/** How people share a session that the device has not shared. */
const SHARE = 'Share it in the console, or on the machine: xapi-device grant';

/** Reads the first message and its files, if there are any. @throws UsageError for `--wait` or `--file` without one */
export async function readFirstMessage(
  command: string,
  input: CommandInput,
): Promise<Pick<StartSession, 'content' | 'attachments'>> {
  const text = input.findArgument('TEXT');
  const help = `See: xapi ${command} --help`;
  if (input.hasFlag('wait') && text === undefined) throw new UsageError('--wait needs a first message.', help);
  const attachments = await readAttachments(input.listOption('file'));
  if (attachments && text === undefined) throw new UsageError('--file needs a first message.', help);
  return text === undefined ? {} : { content: await readMessage(text), attachments };
}

/** Starts a session, shares it with the token unless told otherwise, and prints its ID or what its agent says. */
export async function beginSession(
  context: CommandContext,
  client: ExternalApiClient,
  machineId: string,
  options: StartSession,
  input: CommandInput,
): Promise<number | void> {
  const { terminal } = context;
  const { content } = options;
  const isWaiting = input.hasFlag('wait');
  const timeoutMs = input.findDurationMs('timeout');
  const sharing = input.hasFlag('no-grant') ? { isAsked: false } : await findSharing(client, machineId);
  const session = {
    ...options,
    ...(sharing.isAsked && { grant: true }),
    // The agent works on. `--wait` and `xapi wait` wait for it.
    ...(content !== undefined && { waitMs: 0 }),
  };
  if (!terminal.isJson) terminal.showStatus('Starting the agent ...');
  const started = await startSession(context, client, machineId, session, input.findOption('idempotency-key'));
  const { sessionId, turn, agentState } = started;
  const obstacle = sharing.obstacle ?? started.grantError?.message;
  if (obstacle !== undefined)
    terminal.writeNotice(`The session is not shared with this token. ${obstacle}\n${SHARE} ${sessionId}`);
  const ids = { sessionId, machineId, turnId: turn?.id ?? null, grantId: started.grant?.id ?? null };
  if (isWaiting && turn) {
    if (!terminal.isJson) terminal.writeNotice(`Session ${sessionId}`);
    return waitAndReport(context, client, { ...ids, turnId: turn.id }, timeoutMs);
  }
  if (terminal.isJson) return terminal.writeJson({ ...ids, ...(agentState && { agentState }) });
  terminal.writeLine(sessionId);
  if (agentState === 'starting') terminal.writeNotice('The agent is still starting. Your first message waits for it.');
  const next = turn
    ? `Wait for the agent: xapi wait ${sessionId}`
    : `Talk to the agent: xapi send ${sessionId} "…" --wait`;
  if (terminal.isOutputTerminal) terminal.writeNotice(next);
}

/** Starts a session. After Ctrl-C, says how to learn its ID: the agent may have started. @throws {@link Interruption} */
async function startSession(
  { terminal }: CommandContext,
  client: ExternalApiClient,
  machineId: string,
  session: StartSession,
  idempotencyKey: string = randomUUID(),
): Promise<StartedSession> {
  try {
    return await client.machines.start(machineId, session, { idempotencyKey, signal: interrupts.createSignal() });
  } catch (error) {
    if (error instanceof Interruption)
      terminal.writeNotice(
        '\nInterrupted. The session may have started. To learn its ID, repeat the same command with:\n' +
          `  --idempotency-key ${idempotencyKey}`,
      );
    throw error;
  }
}

/** Returns whether to ask for a key grant. A token that may read content wants one; an older device can't give it. */
async function findSharing(
  client: ExternalApiClient,
  machineId: string,
): Promise<{ isAsked: boolean; obstacle?: string }> {
  const { data } = await client.me();
  if (!data.token.scopes.includes('sessions:content')) return { isAsked: false };
  try {
    const { capabilities } = await client.machines.get(machineId);
    if (capabilities.includes('session.grant')) return { isAsked: true };
    return { isAsked: false, obstacle: 'The device of the machine can’t do that. Update it.' };
  } catch (error) {
    // Without machines:read nobody knows, and the service refuses what the device can't do.
    if (error instanceof ApiError && error.code === 'insufficient_scope') return { isAsked: true };
    throw error;
  }
}
