import type { PermissionRecord } from './records';

const MAX_DELAY_MS = 60_000;

/**
 * Returns after how many ms the pending requests are read again, since a request expires without an event. The service
 * has just listed them: if one looks expired, the clock of this browser is ahead. The delay then grows with the time
 * for which it has looked so.
 */
export const getExpiryDelay = (...pending: readonly Pick<PermissionRecord, 'expiresAt'>[]): number =>
  Math.min(...pending.map(({ expiresAt }) => Math.abs(expiresAt - Date.now())), MAX_DELAY_MS);
