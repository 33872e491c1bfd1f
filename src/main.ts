import './common/source-maps';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './bootstrap';
import { ConfigError, loadConfig } from './core/config';
import {
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  SecondInstanceError,
} from './core/database';
import { RedisClusterError } from './core/redis';

async function startService(): Promise<void> {
  const config = loadConfig();
  const app = await createApp(config);
  // Exits with 0 after a graceful shutdown. By default, Nest sends the signal to the process again.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(config.port, config.host);
  new Logger('Service').log({ host: config.host, port: config.port, publicUrl: config.publicUrl }, 'listening');
}

const USER_ERRORS = [
  ConfigError,
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  RedisClusterError,
  SecondInstanceError,
];

/** Returns the message of errors that the operator can fix, and the stack of all others. */
function formatStartupError(error: Error): string {
  const isUserError =
    USER_ERRORS.some((type) => error instanceof type) || (error as NodeJS.ErrnoException).syscall === 'listen';
  return isUserError ? error.message : (error.stack ?? error.message);
}

startService().catch((error: Error) => {
  process.stderr.write(`${formatStartupError(error)}\n`);
  process.exit(1);
});
