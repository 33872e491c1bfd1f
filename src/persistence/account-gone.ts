/** `foreign_key_violation` */
const SQLSTATE = '23503';
/** As PostgreSQL names the reference of an `account_id` column. */
const CONSTRAINT = /_account_id_fkey$/;

/** Whether something was to be written for an account that is no more: it went while the call was on its way. */
export function isAccountGone(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { driverError } = thrown as { driverError?: { code?: string; constraint?: string } };
  return driverError?.code === SQLSTATE && CONSTRAINT.test(driverError.constraint ?? '');
}
