/**
 * SQLSTATE of temporary failures: PostgreSQL is stopping, starting or out of resources or the connection failed
 * (classes 08, 53 and 57P), the statement timed out (57014), or the transaction lost a conflict and can be retried
 * (40001, 40P01).
 */
const UNAVAILABLE_SQLSTATE = /^(08...|53...|57014|57P0[1-3]|40001|40P01)$/;
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
  const error = thrown as Partial<NodeJS.ErrnoException> & { driverError?: unknown; errors?: unknown };
  if (error.driverError) return isDatabaseUnavailable(error.driverError);
  // Connecting to `localhost` tries several addresses and throws one aggregate error.
  if (Array.isArray(error.errors)) return error.errors.every(isDatabaseUnavailable);
  if (error.code === undefined) return UNAVAILABLE_MESSAGES.some((start) => error.message?.startsWith(start));
  return (
    UNAVAILABLE_SQLSTATE.test(error.code) ||
    (NETWORK_ERROR_CODES.has(error.code) && NETWORK_SYSCALL.test(error.syscall ?? ''))
  );
}

/** Thrown when no connection to the database can be established. No statement was executed. */
export class DatabaseConnectionError extends Error {
  constructor(cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException;
    super(`The database at DATABASE_URL cannot be used: ${message || code}`, { cause });
    this.name = 'DatabaseConnectionError';
  }
}

/** Returns the error of an attempt to connect as DatabaseConnectionError. */
export function toConnectionError(error: unknown): DatabaseConnectionError {
  return error instanceof DatabaseConnectionError ? error : new DatabaseConnectionError(error);
}
