import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY, MINUTE, SECOND } from '../../../common/clock';
import { Config } from '../../../core/config';
import { parseRetryAfterMs, type WebhookExchange } from '../../webhook-sending';

const MAX_JITTER_PERCENT = 20;
/** Minimum delay after a timeout or a status that asks to slow down. */
const SLOW_DOWN_DELAY_MS = MINUTE;
const SLOW_DOWN_STATUSES = new Set([429, 502, 504]);
const MAX_RETRY_AFTER_MS = DAY;

/** Schedules the attempts of a delivery (docs/protocol/webhooks.md#attempts). */
@Injectable()
export class RetryPolicy {
  private readonly delaysMs: readonly number[];

  constructor({ webhooks }: Config) {
    this.delaysMs = webhooks.retrySchedule.map((seconds) => seconds * SECOND);
  }

  getFirstAttemptAt(now: number): Date {
    return new Date(now + addJitter(this.delaysMs[0]!));
  }

  /** Returns a time before which the first attempt of each delivery is due that is created now. */
  getLatestFirstAttemptAt(now: number): Date {
    return new Date(now + Math.ceil(this.delaysMs[0]! * (1 + MAX_JITTER_PERCENT / 100)));
  }

  /**
   * Returns null after the last attempt.
   * @param attemptCount number of attempts, including this one
   */
  getNextAttemptAt(attemptCount: number, { status, error, retryAfter }: WebhookExchange, now: number): Date | null {
    const delayMs = this.delaysMs[attemptCount];
    if (delayMs === undefined) return null;
    const isSlowDown = error === 'timeout' || (status !== null && SLOW_DOWN_STATUSES.has(status));
    const requestedMs = Math.min(parseRetryAfterMs(retryAfter, now), MAX_RETRY_AFTER_MS);
    return new Date(now + addJitter(Math.max(delayMs, requestedMs, isSlowDown ? SLOW_DOWN_DELAY_MS : 0)));
  }
}

function addJitter(delayMs: number): number {
  return delayMs + Math.floor((delayMs * randomInt(MAX_JITTER_PERCENT * 100 + 1)) / 10_000);
}
