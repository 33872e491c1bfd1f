import { SECOND } from '../../common/clock';

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses Retry-After (RFC 9110 §10.2.3): seconds, or a date in the preferred format (§5.6.7). Returns 0 for anything
 * else.
 */
export function parseRetryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d{1,10}$/.test(header)) return Number(header) * SECOND;
  const retryAt = IMF_FIXDATE.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(retryAt) ? 0 : Math.max(0, retryAt - now);
}
