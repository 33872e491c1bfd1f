/**
 * PostgreSQL is stopping, starting or full, the connection is of no use (SQLSTATE classes 08, 53 and 57P), the statement
 * took too long (57014), or the transaction gave way to another and would do so no more if it were repeated (40001, 40P01).
 */
const SQLSTATE = /^(08...|53...|57014|57P0[1-3]|40001|40P01)$/;
const SYSTEM = new Set([
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
const CONNECTION = /^(connect|read|write|getaddrinfo)$/;
/** What `pg` and its pool say without a code. */
const MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error)/;

/** The connection ended within a transaction, between two of its statements: nothing of it was written. */
export class TransactionLostError extends Error {
  constructor(cause: unknown) {
    super('The connection ended within a transaction.', { cause });
    this.name = 'TransactionLostError';
  }
}

/** Whether this came of the database being away; the statement may have run all the same. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (thrown instanceof TransactionLostError) return true;
  const error = thrown as Partial<NodeJS.ErrnoException> & { driverError?: unknown; errors?: unknown };
  if (error.driverError) return isDatabaseUnavailable(error.driverError);
  // `localhost` is tried at several addresses, and their errors come as one.
  if (Array.isArray(error.errors)) return error.errors.every(isDatabaseUnavailable);
  if (error.code === undefined) return MESSAGE.test(error.message ?? '');
  return SQLSTATE.test(error.code) || (SYSTEM.has(error.code) && CONNECTION.test(error.syscall ?? ''));
}

/** The service cannot start on its database. */
export class DatabaseConnectionError extends Error {
  constructor(cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException;
    super(`The database at DATABASE_URL cannot be used: ${message || code}`, { cause });
    this.name = 'DatabaseConnectionError';
  }
}
