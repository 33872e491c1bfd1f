import { ApiError, type ExternalApiClient, type StartedSession } from '../../index.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { UsageError } from '../errors.ts';
import { interrupts } from '../interrupts.ts';
import { readAttachments } from '../read-attachments.ts';
import { readMessage } from '../read-message.ts';
import { resolveMachineId } from '../resolve-names.ts';
import { waitAndReport } from '../turns.ts';

/** How people share a session that the device has not shared. */
const SHARE = 'Share it in the console, or on the machine: xapi-device grant';

export const start: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('start sessions');
  const client = context.createClient();
  const isWaiting = input.hasFlag('wait');
  const timeoutMs = input.findDurationMs('timeout');
  const text = input.findArgument('TEXT');
  if (isWaiting && text === undefined) throw new UsageError('--wait needs a first message.', 'See: xapi start --help');
  const attachments = await readAttachments(input.listOption('file'));
  if (attachments && text === undefined)
    throw new UsageError('--file needs a first message.', 'See: xapi start --help');
  const content = text === undefined ? undefined : await readMessage(text);
  const machineId = await resolveMachineId(client, input.getArgument('MACHINE'));
  const sharing = input.hasFlag('no-grant') ? { isAsked: false } : await findSharing(client, machineId);
  const session = {
    agent: input.findOption('agent'),
    cwd: input.findOption('cwd'),
    mode: input.findOption('mode'),
    tag: input.findOption('tag'),
    ...(sharing.isAsked && { grant: true }),
    // The agent works on. `--wait` and `xapi wait` wait for it.
    ...(content !== undefined && { content, attachments, waitMs: 0 }),
  };
  if (!terminal.isJson) terminal.showStatus('Starting the agent ...');
  const started = await startSession(client, machineId, session, input);
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
};

function startSession(
  client: ExternalApiClient,
  machineId: string,
  session: Parameters<ExternalApiClient['machines']['start']>[1],
  input: CommandInput,
): Promise<StartedSession> {
  const idempotencyKey = input.findOption('idempotency-key');
  return client.machines.start(machineId, session, { idempotencyKey, signal: interrupts.createSignal() });
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
