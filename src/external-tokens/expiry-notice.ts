import { DAY } from '../common/clock';

/** How long before its end a token's holder is told (webhooks.md, `token.expiring`). */
const BEFORE_MS = [7 * DAY, DAY];

/** The next moment after this one at which a notice is due; null: none, or it never expires. */
export function nextExpiryNotice(expiresAt: Date | null, after: Date): Date | null {
  if (expiresAt === null) return null;
  const moments = BEFORE_MS.map((ms) => expiresAt.getTime() - ms);
  const next = moments.find((moment) => moment > after.getTime());
  return next === undefined ? null : new Date(next);
}
