import type { TurnErrorCode } from '@external-api/protocol';
import { findCommandError } from '../exec/command-error';

/** What an agent itself said about its failure. It may contain content and keys. Invisible characters are escapes. */
export interface AgentReport {
  /** The text of the error that it answered with. */
  errorText?: string;
  /** The last lines of its standard error. */
  lastErrorLines?: string;
}

/** Failure of an agent, with the code that the turn reports (docs/protocol/agents.md#turns). */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  /** For the encrypted history and the machine's user only. */
  report: AgentReport = {};

  /** @param message names no content of the session and no output of the agent, so that it may be logged */
  constructor(
    readonly code: TurnErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns why an agent has failed, with what it said itself: see {@link AgentReport} on who may read it. */
export function describeFailure(error: unknown): string {
  const { message } = findCommandError(error) ?? (error as Error);
  if (!(error instanceof AgentError)) return message;
  const { errorText, lastErrorLines } = error.report;
  return [
    message,
    errorText ? `It said: ${errorText}` : '',
    lastErrorLines ? `The last lines of its standard error:\n${lastErrorLines}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}
