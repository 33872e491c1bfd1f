import type { TurnErrorCode } from '@external-api/protocol';

/** Failure of an agent, with the code that the turn reports (docs/protocol/agents.md#turns). */
export class AgentError extends Error {
  override readonly name = 'AgentError';

  /** @param message names no content of the session and no output of the agent, so that it may be logged */
  constructor(
    readonly code: TurnErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
