import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { Logger } from '@nestjs/common';

/** File descriptors for all but incoming connections: database files and connections, Redis, webhooks, modules. */
const RESERVED_DESCRIPTORS = 256;
/** An instance with few descriptors still serves its operator. */
const MIN_CONNECTIONS = 16;
const LOG_INTERVAL_MS = 60_000;

/**
 * Closes connections beyond the file descriptors (docs/production.md#health-and-shutdown). Without a free
 * one, the embedded database can't open its files.
 */
export function limitConnections(server: Server, descriptorLimit = readDescriptorLimit()): void {
  if (descriptorLimit === null) return;
  server.maxConnections = Math.max(MIN_CONNECTIONS, descriptorLimit - RESERVED_DESCRIPTORS);
  const logger = new Logger('HttpServer');
  let loggedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    logger.warn(
      { maxConnections: server.maxConnections, descriptorLimit },
      'connection refused; raise the limit of open files',
    );
  });
}

/** Returns the soft limit of open files, which Node.js has raised to the hard one; null if it isn't known. */
function readDescriptorLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    // Only Linux has this file.
    return null;
  }
}
