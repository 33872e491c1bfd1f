import type { DeviceErrorCode } from '../../wire';

/** A command that could not be run, with the code the relay passes on (device-api.md, Socket). */
export class CommandError extends Error {
  constructor(
    readonly code: DeviceErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

export const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** What a failed `spawn` means once the working directory is known to be good. */
export function spawnFailure(command: string, error: unknown): CommandError {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new CommandError('command_not_found', `There is no command "${shortened(command)}".`);
    case 'EACCES':
    case 'EPERM':
      return new CommandError('permission_denied', `"${shortened(command)}" may not be executed.`);
    case 'E2BIG':
      return new CommandError('internal', 'The arguments are longer than the operating system takes.');
    default:
      return new CommandError('internal', `"${shortened(command)}" could not be started: ${String(error)}`);
  }
}

const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
