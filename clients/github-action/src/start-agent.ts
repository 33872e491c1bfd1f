import { ApiError, type ExternalApiClient } from '@external-api/client';
import { findMachineId } from './find-machine.ts';
import type { Start } from './inputs.ts';
import { reportSession, reportWarning, type Result } from './runner.ts';
import { waitForTurn } from './work.ts';

/** Results of a turn with which the agent may go on. */
const OPEN_STATES = ['requires_action', 'timed_out', 'lost', 'error'];

/** Starts an agent in a new session with the message, and waits for its turn. A cancellation cancels the turn. */
export async function startAgent(
  client: ExternalApiClient,
  { host, work }: { host: string; work: Start },
  signal: AbortSignal,
): Promise<Result> {
  const { text: content, agent, cwd, keepsSession } = work;
  const machineId = await findMachineId(client, work.machine);
  const grant = (await canGrant(client, machineId)) || undefined;
  const { sessionId, turn, grantError } = await client.machines.start(machineId, {
    agent,
    cwd,
    grant,
    content,
    waitMs: 0,
  });
  // A person who decides must find the session while the step waits.
  reportSession(host, sessionId);
  if (grantError) reportWarning(`What the agent says is not shared with the token. ${grantError.message}`);
  const result = await waitForTurn(client, { sessionId, turnId: turn!.id }, work, signal);
  // A machine has a limited number of sessions. One in which the agent may go on stays.
  if (!keepsSession && !OPEN_STATES.includes(result.status)) await endSession(client, sessionId);
  return result;
}

/** Returns whether the token may read what its agents say, and the machine's device can share it. */
async function canGrant(client: ExternalApiClient, machineId: string): Promise<boolean> {
  const { data } = await client.me();
  if (!data.token.scopes.includes('sessions:content')) return false;
  try {
    const { capabilities } = await client.machines.get(machineId);
    if (!capabilities.includes('session.grant'))
      reportWarning('What the agent says is not shared with the token: update the device of the machine.');
    return capabilities.includes('session.grant');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'insufficient_scope') return true;
    throw error;
  }
}

/** Never rejects: the turn has its result. */
async function endSession(client: ExternalApiClient, sessionId: string): Promise<void> {
  try {
    await client.sessions.end(sessionId);
  } catch (error) {
    reportWarning(`The session ${sessionId} was not ended: ${(error as Error).message}`);
  }
}
