import type { CallerAccount } from '../auth';
import type { AccountLimits } from './plan';

/** What a look-up of a credential reads beside it. */
export interface CallerAccountRow {
  username: string;
  account_created_at: Date;
  suspended: boolean;
  account_limits: AccountLimits;
}

/** Its columns, of `accounts` under this alias: so that one statement says all, and no older answer is mixed in. */
export const callerAccountColumns = (alias: string) =>
  `${alias}.username, ${alias}.created_at AS account_created_at,
   ${alias}.suspended_at IS NOT NULL AS suspended, ${alias}.limits AS account_limits`;

export function callerAccountOf(row: CallerAccountRow): CallerAccount {
  return {
    username: row.username,
    createdAt: row.account_created_at.getTime(),
    suspended: row.suspended,
    limits: row.account_limits,
  };
}
