import type { DeviceErrorCode } from '@external-api/protocol';
import { truncateText } from '@external-api/protocol';

/** Thrown when a command can't be run, with the code that the relay returns (docs/protocol/device-api.md#socket). */
export class CommandError extends Error {
  constructor(
    readonly code: DeviceErrorCode,
    message: string,
    /** The session that exists, with the code `session_exists`. */
    readonly sessionId?: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Returns the error, or its cause, if a command can't be run for a reason that the caller may know. */
export function findCommandError(error: unknown): CommandError | undefined {
  return [error, (error as Error).cause].find((each) => each instanceof CommandError);
}

export const getErrnoCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/**
 * Maps the error of a failed `spawn`. The working directory must have been checked before.
 * @param searchPath the PATH of the command
 */
export function toSpawnError(command: string, error: unknown, searchPath = ''): CommandError {
  switch (getErrnoCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return createNotFoundError(command, searchPath);
    case 'EACCES':
    case 'EPERM':
      return new CommandError(
        'permission_denied',
        `The command "${truncateCommandName(command)}" is not executable for this user.`,
      );
    case 'E2BIG':
      return new CommandError('internal', 'The arguments exceed the limit of the operating system.');
    default:
      return new CommandError('internal', `"${truncateCommandName(command)}" could not be started: ${String(error)}`);
  }
}

export function createNotFoundError(command: string, searchPath: string): CommandError {
  const text = `The command "${truncateCommandName(command)}" was not found`;
  const reason = command.includes('/')
    ? ': this file or the interpreter of its first line is missing.'
    : `. The device searched for it in ${truncate(searchPath, 1_000)}.`;
  return new CommandError('command_not_found', text + reason);
}

const truncateCommandName = (text: string): string => truncate(text, 200);

const truncate = (text: string, length: number): string =>
  text.length > length ? `${truncateText(text, length)}…` : text;
