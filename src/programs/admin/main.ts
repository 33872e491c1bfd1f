import '../../common/source-maps';
import '../../common/exit-on-signals';
import 'reflect-metadata';
import { CommanderError } from 'commander';
import { ConfigError } from '../../core/config';
import { DataDirInUseError } from '../../core/database';
import { createAdminProgram } from './admin-program';

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

/** The first write to standard output that failed. The command goes on: its work is worth more than its output. */
let lostOutput: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => (lostOutput ??= error));
process.stderr.on('error', () => undefined);

/** @returns the exit code: 0 on success, 1 on failure, 2 on invalid usage */
async function runAdmin(argv: string[]): Promise<0 | 1 | 2> {
  try {
    await createAdminProgram().parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the help or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`error: ${formatAdminError(error as Error)}\n`);
    return 1;
  }
}

/** Returns a message that says what went wrong and what to do. */
function formatAdminError(error: Error): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof DataDirInUseError) {
    return `${error.message}\nWith the embedded database, stop the service first.`;
  }
  const { code } = error as { code?: string };
  if (code === UNDEFINED_TABLE)
    return 'The database has no tables yet. Run the command "migrate", or start the service once.';
  if (code === UNDEFINED_COLUMN)
    return 'The database schema is older than this version. Run the command "migrate" of this version.';
  return error.message || code || error.name;
}

/** Exits when the reader of a pipe has got everything: the end of the process would drop what still waits for it. */
function exitWhenRead(status: 0 | 1 | 2): void {
  process.stdout.write('', (error) => {
    const failure: NodeJS.ErrnoException | null | undefined = lostOutput ?? error;
    // A reader that has read enough, such as `head`, closes the pipe.
    const isLost = failure && failure.code !== 'EPIPE';
    if (isLost) process.stderr.write(`error: The output can't be written (${failure.code}).\n`);
    process.exit(isLost && status === 0 ? 1 : status);
  });
}

void runAdmin(process.argv.slice(2)).then(exitWhenRead);
