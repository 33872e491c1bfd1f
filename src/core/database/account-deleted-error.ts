/** `foreign_key_violation` */
const FOREIGN_KEY_VIOLATION = '23503';
/** Default name of a foreign key on an `account_id` column in PostgreSQL. */
const ACCOUNT_CONSTRAINT = /_account_id_fkey$/;

/** Returns whether a write failed because its account was deleted during the call. */
export function isAccountDeletedError(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { driverError } = thrown as { driverError?: { code?: string; constraint?: string } };
  return driverError?.code === FOREIGN_KEY_VIOLATION && ACCOUNT_CONSTRAINT.test(driverError.constraint ?? '');
}
