import type { DatabaseError } from 'pg';

/** SQLSTATE of writes in a read-only session: that of a standby, or of a database whose provider has stopped writes. */
export const READ_ONLY_SQLSTATE = '25006';
/**
 * SQLSTATE of failures that are not the fault of the statement: the connection, the server or its disk failed (classes
 * 08, 53, 57 and 58), which includes every timeout that ends a session; a timeout of a transaction or a lock ended
 * (25P03, 25P04, 55P03); the transaction lost a conflict and can be retried (class 40 but for its constraints; 72000);
 * or the database refuses writes (25006), as providers also do by revoking the right to them (42501). A standby refuses
 * to tell its place in the write-ahead log (55000), without which no event stream is read.
 *
 * Most of them undo the statement. Where the session ends during a commit (class 08, 40003, 57P01 to 57P05), the commit
 * may have happened: callers get the outcome `unknown`, and only writes that may happen twice are repeated.
 */
const UNAVAILABLE_SQLSTATE = /^((08|53|57|58)...|25006|25P0[34]|4000[013]|40P01|42501|55000|55P03|72000)$/;
/**
 * Also unavailable: a database that gives out no further transaction ids before VACUUM has made old ones free. Its
 * SQLSTATE is that of statements which exceed a limit, so only the function of PostgreSQL tells them apart.
 */
const LIMIT_SQLSTATE = '54000';
const WRAPAROUND_ROUTINE = /^GetNew(TransactionId|MultiXactId)$/;
/** Poolers end a session with codes of their own, often XX000. The severity says that it has ended. */
const ENDED_SEVERITIES = new Set(['FATAL', 'PANIC']);
const NETWORK_ERROR_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
const NETWORK_SYSCALL = /^(connect|read|write|getaddrinfo)$/;
/** Messages of errors without a code from `pg` and its pool. */
const UNAVAILABLE_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
];

/** Thrown when the connection ends between two statements of a transaction, which is therefore rolled back. */
export class TransactionLostError extends Error {
  constructor(cause: unknown) {
    super('The connection ended within a transaction.', { cause });
    this.name = 'TransactionLostError';
  }
}

/** Returns whether the error means that the database is unavailable. The statement may still have been executed. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (thrown instanceof TransactionLostError || thrown instanceof DatabaseConnectionError) return true;
  const error = thrown as Partial<NodeJS.ErrnoException & DatabaseError> & { driverError?: unknown; errors?: unknown };
  if (error.driverError) return isDatabaseUnavailable(error.driverError);
  // Connecting to `localhost` tries several addresses and throws one aggregate error.
  if (Array.isArray(error.errors)) return error.errors.every(isDatabaseUnavailable);
  if (error.code === undefined) return UNAVAILABLE_MESSAGES.some((start) => error.message?.startsWith(start));
  return (
    UNAVAILABLE_SQLSTATE.test(error.code) ||
    (error.code === LIMIT_SQLSTATE && WRAPAROUND_ROUTINE.test(error.routine ?? '')) ||
    ENDED_SEVERITIES.has(error.severity ?? '') ||
    (NETWORK_ERROR_CODES.has(error.code) && NETWORK_SYSCALL.test(error.syscall ?? ''))
  );
}

/** Thrown when no connection to the database can be established. No statement was executed. */
export class DatabaseConnectionError extends Error {
  /** @param setting the one that has the address */
  constructor(cause: unknown, setting = 'DATABASE_URL') {
    const { message, code } = cause as NodeJS.ErrnoException;
    super(`The database at ${setting} cannot be used: ${message || code}`, { cause });
    this.name = 'DatabaseConnectionError';
  }
}

/** Returns the error of an attempt to connect as DatabaseConnectionError. */
export function toConnectionError(error: unknown): DatabaseConnectionError {
  return error instanceof DatabaseConnectionError ? error : new DatabaseConnectionError(error);
}
