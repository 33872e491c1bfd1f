import type { CallerAccount } from '../../access/auth';
import type { AccountLimits } from './plan';

/** Account columns that a credential look-up reads in the same statement. */
export interface CallerAccountRow {
  username: string;
  account_created_at: Date;
  suspended: boolean;
  account_limits: AccountLimits;
}

/** Selects these columns from `accounts` under the alias. One statement reads credential and account consistently. */
export const selectCallerAccountColumns = (alias: string) =>
  `${alias}.username, ${alias}.created_at AS account_created_at,
   ${alias}.suspended_at IS NOT NULL AS suspended, ${alias}.limits AS account_limits`;

export function toCallerAccount(row: CallerAccountRow): CallerAccount {
  return {
    username: row.username,
    createdAt: row.account_created_at.getTime(),
    isSuspended: row.suspended,
    limits: row.account_limits,
  };
}
