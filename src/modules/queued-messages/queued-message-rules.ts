import { DAY, MINUTE, SECOND } from '../../common/clock';
import { bodyViolation, type RequestViolation } from '../../common/errors';
import type { MessageDeliveryDto } from './queued-messages.dto';

const DEFAULT_LIFETIME_MS = 7 * DAY;
/** The minute is for callers whose clock is ahead. */
const MAX_LIFETIME_MS = DEFAULT_LIFETIME_MS + MINUTE;

/** Delay after the first attempt that did not reach the device. It doubles up to a maximum. */
const FIRST_RETRY_DELAY_MS = 5 * SECOND;
/** A device that connects triggers the next attempt, so that attempts while it is away can be rare. */
const MAX_RETRY_DELAYS_MS = { no_online_device: 15 * MINUTE, device_busy: MINUTE, relay_unavailable: MINUTE };

/** Why an attempt did not reach the device, or was refused by it before it did anything. */
export type RetryReason = keyof typeof MAX_RETRY_DELAYS_MS;

/** How an attempt to deliver a message ended. */
export type AttemptOutcome =
  | { kind: 'delivered'; turnId: string | null }
  | { kind: 'failed'; errorCode: string }
  | { kind: 'unknown' }
  | { kind: 'not_delivered'; reason: RetryReason };

export interface DeliverySchedule {
  notBefore: Date | null;
  expiresAt: Date;
}

/** Returns the times of a delivery, with the default expiry, or what is wrong with them. */
export function resolveSchedule(
  { notBefore, expiresAt }: Pick<MessageDeliveryDto, 'notBefore' | 'expiresAt'>,
  now: number,
): { schedule: DeliverySchedule } | { violations: RequestViolation[] } {
  const expiry = expiresAt ?? now + DEFAULT_LIFETIME_MS;
  const violations: RequestViolation[] = [];
  const addViolation = (member: string, rule: string) =>
    violations.push(bodyViolation(`/delivery/${member}`, 'out_of_range', `must be ${rule}`));
  if (expiry <= now) addViolation('expiresAt', 'in the future');
  if (expiry > now + MAX_LIFETIME_MS) addViolation('expiresAt', 'within 7 days');
  if (notBefore !== undefined && notBefore >= expiry) {
    addViolation('notBefore', expiresAt === undefined ? 'within 7 days' : 'before /delivery/expiresAt');
  }
  if (violations.length > 0) return { violations };
  return {
    schedule: { notBefore: notBefore === undefined ? null : new Date(notBefore), expiresAt: new Date(expiry) },
  };
}

/**
 * Returns how long to wait before the next attempt.
 * @param attempts attempts so far, from 1
 */
export function computeRetryDelayMs(attempts: number, reason: RetryReason): number {
  return Math.min(FIRST_RETRY_DELAY_MS * 2 ** (attempts - 1), MAX_RETRY_DELAYS_MS[reason]);
}
