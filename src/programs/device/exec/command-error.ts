import type { DeviceErrorCode } from '../../../protocol';

/** Thrown when a command can't be run, with the code that the relay returns (docs/protocol/device-api.md#socket). */
export class CommandError extends Error {
  constructor(
    readonly code: DeviceErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

export const getErrnoCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Maps the error of a failed `spawn`. The working directory must have been checked before. */
export function toSpawnError(command: string, error: unknown): CommandError {
  switch (getErrnoCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new CommandError('command_not_found', `The command "${truncateCommandName(command)}" was not found.`);
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

const truncateCommandName = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
