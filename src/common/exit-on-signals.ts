import { constants } from 'node:os';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

function exitOnSignal(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}

/**
 * By default, these signals end every process but the first one of a container, which ignores them until it handles
 * them. So programs import this first, and exit with the status that a shell reports.
 */
for (const signal of STOP_SIGNALS) process.on(signal, exitOnSignal);

/** Leaves the signals to handlers that stop the program gracefully. */
export function releaseSignals(): void {
  for (const signal of STOP_SIGNALS) process.off(signal, exitOnSignal);
}
