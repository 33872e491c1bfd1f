import { CommandError } from '../exec/command-error';
import type { AgentInfo } from './agent-inquiry';
import type { AgentSessionRequest } from './agent-session';
import { JSON_RPC_ERRORS, JsonRpcError } from './json-rpc-peer';

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

export const createSessionNotFoundError = (): CommandError =>
  new CommandError('agent_session_not_found', 'The agent has no such session.');

export const isMethodNotFound = (error: Error): boolean =>
  error instanceof JsonRpcError && error.code === JSON_RPC_ERRORS.methodNotFound;
