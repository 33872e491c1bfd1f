import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../exec/command-error';
import { AGENT_METHODS, toObject, type JsonObject } from './acp';
import type { AgentInfo } from './agent-inquiry';
import type { AgentSessionRequest } from './agent-session';
import { JSON_RPC_ERRORS, JsonRpcError, type JsonRpcPeer } from './json-rpc-peer';

/** Whether the agent can go on with a session of an earlier process, or of another client. */
export const canContinue = ({ canLoadSessions, canResumeSessions }: AgentInfo): boolean =>
  canLoadSessions || canResumeSessions;

/** @throws CommandError `agent_unsupported` */
export function requireContinuation(
  agent: AgentInfo,
  continuation: NonNullable<AgentSessionRequest['continuation']>,
): void {
  if (continuation === 'fork' ? agent.canForkSessions : canContinue(agent)) return;
  const action = continuation === 'fork' ? 'copy its sessions' : 'continue its sessions';
  throw new CommandError('agent_unsupported', `The agent ${agent.title ?? agent.name} can't ${action}.`);
}

/** Timers may be a moment early. */
const TIMER_TOLERANCE_MS = 20;

/** Waits until the interval of the clock is over in which a session of this age was created. */
export async function waitWhileFresh(ageMs: number, intervalMs: number): Promise<void> {
  const now = Date.now();
  const intervalStart = now - (now % intervalMs);
  if (now - ageMs < intervalStart) return;
  await sleep(intervalStart + intervalMs + TIMER_TOLERANCE_MS - now, undefined, { ref: false });
}

export const createSessionNotFoundError = (): CommandError =>
  new CommandError('agent_session_not_found', 'The agent has no such session.');

/**
 * Opens a session of an earlier process, or of another client.
 * @param wantsReplay whether the agent is to repeat the conversation if it can
 * @throws JsonRpcError, AgentError
 */
export async function requestSession(
  peer: JsonRpcPeer,
  { canLoadSessions, canResumeSessions }: AgentInfo,
  params: JsonObject,
  wantsReplay: boolean,
): Promise<JsonObject> {
  const load = () => peer.sendRequest(AGENT_METHODS.loadSession, params);
  if (!canResumeSessions || (wantsReplay && canLoadSessions)) return toObject(await load());
  const resumed = peer.sendRequest(AGENT_METHODS.resumeSession, params).catch((error: Error) => {
    // Some agents name `session/resume` without serving it.
    if (!canLoadSessions || !isMethodNotFound(error)) throw error;
    return load();
  });
  return toObject(await resumed);
}

const isMethodNotFound = (error: Error): boolean =>
  error instanceof JsonRpcError && error.code === JSON_RPC_ERRORS.methodNotFound;
