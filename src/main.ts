import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './bootstrap';
import { ConfigError, loadConfig } from './config';
import {
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  RedisClusterError,
  SecondInstanceError,
} from './persistence';

async function main(): Promise<void> {
  const config = loadConfig();
  const app = await createApp(config);
  // A clean stop exits 0; by itself the framework would end the process with the signal again.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(config.port, config.host);
  new Logger('Service').log({ host: config.host, port: config.port, publicUrl: config.publicUrl }, 'listening');
}

const MENDABLE = [
  ConfigError,
  DatabaseConnectionError,
  DataDirInUseError,
  EmbeddedDatabaseError,
  RedisClusterError,
  SecondInstanceError,
];

/** What the person who starts it can mend is told in one plain message, anything else with its stack. */
function describe(error: Error): string {
  const plain = MENDABLE.some((type) => error instanceof type) || (error as NodeJS.ErrnoException).syscall === 'listen';
  return plain ? error.message : (error.stack ?? error.message);
}

main().catch((error: Error) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exit(1);
});
