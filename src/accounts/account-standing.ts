import type { AccountStanding } from '../auth';
import type { AccountLimits } from './plan';

/** What a look-up of a credential reads beside it. */
export interface StandingRow {
  suspended: boolean;
  account_limits: AccountLimits;
}

/** Its columns, of `accounts` under this alias: so that one statement says all, and no older answer is mixed in. */
export const standingColumns = (alias: string) =>
  `${alias}.suspended_at IS NOT NULL AS suspended, ${alias}.limits AS account_limits`;

export function standingOf({ suspended, account_limits: limits }: StandingRow): AccountStanding {
  return { suspended, limits };
}
