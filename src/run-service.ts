import 'reflect-metadata';
import { channel } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { createApp } from './bootstrap';
import { releaseSignals } from './common/exit-on-signals';
import { createTerminalLog, outliveTerminal } from './common/logging';
import { findMisspeltSettings, type Config } from './core/config';
import {
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  MigrationFailedError,
  MigrationLockError,
  MigrationLockTimeoutError,
  PendingMigrationsError,
  SecondInstanceError,
  isDatabaseUnavailable,
  toConnectionError,
} from './core/database';
import { RedisClusterError } from './core/redis';

/** Runs the service until it is stopped. Exits with 1 and the reason if it can't be started. */
export async function runService(config: Config): Promise<void> {
  try {
    await startService(config);
  } catch (error) {
    process.stderr.write(`${formatStartupError(error as Error, config)}\n`);
    process.exit(1);
  }
}

/** Listens. Logs JSON lines, or text if a person watches the output and this is not a production container. */
async function startService(config: Config): Promise<void> {
  const isWatched = process.stdout.isTTY && !config.isProduction;
  if (isWatched) outliveTerminal();
  const app = await createApp(config, isWatched ? createTerminalLog(process.stdout) : undefined);
  for (const misspelt of findMisspeltSettings()) new Logger('Service').warn(misspelt, 'unknown setting ignored');
  await app.listen(config.port, config.host);
  // Until here the signals end the process at once, because Nest can't close an application that is still starting.
  // From here on it exits with 0 after a graceful shutdown. By default, Nest sends the signal to the process again.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  releaseSignals();
  if (isWatched) process.stdout.write(formatBanner(config));
  else new Logger('Service').log({ host: config.host, port: config.port, publicUrl: config.publicUrl }, 'listening');
  // The launcher of the bundle saves V8's compiled code (src/programs/launcher/).
  channel('external-api.listening').publish(null);
}

function formatBanner({ publicUrl, database }: Config): string {
  const lines = [
    ['Console', `${publicUrl}/console`],
    ['Docs', `${publicUrl}/docs`],
    ['Data', database.kind === 'embedded' ? database.dataDir : formatDatabaseName(database.url)],
  ].map(([name, value]) => `  ${name!.padEnd(9)}${value}\n`);
  return `\n  Listening. Press Ctrl-C to stop.\n\n${lines.join('')}\n`;
}

/** Returns server and database without credentials and options. */
function formatDatabaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL, ${host}${pathname}`;
}

const USER_ERRORS = [
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  MigrationFailedError,
  MigrationLockError,
  MigrationLockTimeoutError,
  PendingMigrationsError,
  RedisClusterError,
  SecondInstanceError,
];

/** Returns the message of errors that the operator can fix, and the stack of all others. */
function formatStartupError(error: Error, config: Config): string {
  if (isListenError(error, config)) return formatListenError(error, config);
  if (USER_ERRORS.some((type) => error instanceof type)) return error.message;
  if (isDatabaseUnavailable(error)) return toConnectionError(error).message;
  return error.stack ?? error.message;
}

type ListenError = NodeJS.ErrnoException & { port?: number; hostname?: string };

/** Codes of a HOST on which this computer can't listen. Other programs, such as conda, set HOST to a name of theirs. */
const FOREIGN_HOST = /^(ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/;

/** Whether the service can't listen, or can't look up the name on which it should. */
const isListenError = ({ syscall, hostname }: ListenError, { host }: Config): boolean =>
  syscall === 'listen' || (syscall === 'getaddrinfo' && hostname === host);

function formatListenError({ code = '', port, message }: ListenError, config: Config): string {
  if (FOREIGN_HOST.test(code)) return `HOST (${config.host}) is not an address of this computer.`;
  const setting = port === config.metricsPort ? 'METRICS_PORT' : 'PORT';
  if (code === 'EACCES') return `${setting} (${port}) is not allowed for this user. Set another ${setting}.`;
  if (code !== 'EADDRINUSE') return message;
  if (setting === 'METRICS_PORT') return `Port ${port} is in use. Set another METRICS_PORT.`;
  return `Port ${port} is in use. Start with PORT=${port! + 1} npm start.`;
}
