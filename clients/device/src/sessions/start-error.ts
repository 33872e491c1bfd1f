import type { DeviceErrorCode } from '@external-api/protocol';
import { AgentError, describeFailure } from '../agent/agent-error';
import { ApiResponseError, isTransient } from '../client-errors';
import { CommandError, findCommandError } from '../exec/command-error';

/** Reasons why an agent can't be started that the caller can act on. */
const START_ERROR_CODES: Partial<Record<DeviceErrorCode, DeviceErrorCode>> = {
  // A program that is not installed is an agent that the machine does not have.
  command_not_found: 'agent_not_found',
  agent_unsupported: 'agent_unsupported',
  agent_session_not_found: 'agent_session_not_found',
  cwd_not_found: 'cwd_not_found',
  cwd_not_allowed: 'cwd_not_allowed',
  mode_not_found: 'mode_not_found',
  agent_mode_unsafe: 'agent_mode_unsafe',
  option_not_found: 'option_not_found',
  option_value_not_found: 'option_value_not_found',
  option_refused: 'option_refused',
};

/** Returns the error for the caller of an agent that could not be started. */
export function toStartError(error: Error): CommandError {
  return new CommandError(findErrorCode(error), `The agent could not be started: ${describeFailure(error)}`);
}

/** Lets the caller try again if the service can't be asked at present: there is no session yet. */
export function throwBeforeSession(error: Error): never {
  if (!isTransient(error)) throw error;
  throw new CommandError('busy', `The service doesn't take calls of the machine at present: ${error.message}`);
}

export const createExistsError = (): CommandError =>
  new CommandError('session_exists', 'A session with this tag exists.');

export const createCancelledError = (): CommandError =>
  new CommandError('cancelled', 'The call was cancelled before the agent had started.');

function findErrorCode(error: Error): DeviceErrorCode {
  if (error instanceof AgentError && error.code === 'agent_auth_required') return 'agent_auth_required';
  const commandError = findCommandError(error);
  const knownCode = commandError && START_ERROR_CODES[commandError.code];
  return knownCode ?? (error instanceof ApiResponseError ? 'internal' : 'agent_start_failed');
}
