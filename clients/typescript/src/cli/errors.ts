/** Exit codes of the command. `run` passes on the code of its command, and uses `ownFailure` for all of its own. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  requiresAction: 3,
  notDelivered: 4,
  outcomeUnknown: 5,
  timeout: 124,
  ownFailure: 125,
  interrupted: 130,
} as const;

interface CliErrorOptions {
  exitCode?: number;
  /** What to do about it: one sentence or command. */
  hint?: string;
  /** Stable name for programs. */
  code?: string;
}

/** Failure that the program explains to its user. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly code: string;

  constructor(message: string, { exitCode = EXIT.failed, hint, code = 'failed' }: CliErrorOptions = {}) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.code = code;
  }
}

/** Wrong use of the command line. Nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super(message, { exitCode: EXIT.usage, code: 'usage', ...(hint !== undefined && { hint }) });
  }
}

/** Failure of a command that waits for a turn, which may go on: its user needs the IDs, whatever has failed. */
export class TurnWaitError extends Error {
  readonly ids: { sessionId: string; turnId: string };

  constructor(cause: unknown, ids: { sessionId: string; turnId: string }) {
    super('The wait for the turn failed.', { cause });
    this.ids = ids;
  }
}

/** Failure of `run` once its command has been started: nobody may take it for one that has not run. */
export class InvocationWaitError extends Error {
  readonly ids: { machineId: string; invocationId: string };

  constructor(cause: unknown, ids: { machineId: string; invocationId: string }) {
    super('The wait for the command failed.', { cause });
    this.ids = ids;
  }
}
