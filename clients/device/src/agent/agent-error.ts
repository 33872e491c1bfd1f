import type { TurnErrorCode } from '@external-api/protocol';
import { findCommandError } from '../exec/command-error';
import { truncateStart } from '../exec/truncation';

const MAX_STDERR_LINES = 10;
const MAX_STDERR_LENGTH = 800;

/** Failure of an agent, with the code that the turn reports (docs/protocol/agents.md#turns). */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  /** What the agent wrote to standard error before it failed to start. It may contain content and keys. */
  stderr = '';

  /** @param message names no content of the session and no output of the agent, so that it may be logged */
  constructor(
    readonly code: TurnErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Returns why an agent failed to start, with its own words: the text of its error and the last lines of its standard
 * error, bounded. Only callers that may run commands on the machine, and its user, may see them.
 */
export function describeStartFailure(error: Error): string {
  const commandError = findCommandError(error);
  if (commandError || !(error instanceof AgentError)) return (commandError ?? error).message;
  const agentText = error.cause instanceof Error ? error.cause.message.trim() : '';
  const lines = error.stderr.trimEnd().split('\n').slice(-MAX_STDERR_LINES).join('\n');
  const output = truncateStart(lines, MAX_STDERR_LENGTH).trim();
  return [error.message, agentText, output && `Its standard error ends with:\n${output}`].filter(Boolean).join(' ');
}
