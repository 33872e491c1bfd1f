import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY, MINUTE, SECOND } from '../../common/clock';
import { Config } from '../../config';
import type { Exchange } from '../sending/exchange';

const MAX_JITTER_PERCENT = 20;
/** After an answer or a silence that says: not so fast. */
const FLOOR_MS = MINUTE;
const SLOW_DOWN = new Set([429, 502, 504]);
const MAX_RETRY_AFTER_MS = DAY;
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** When a delivery is tried, and tried again (webhooks.md, Engine). */
@Injectable()
export class RetryPolicy {
  private readonly waits: readonly number[];

  constructor({ webhooks }: Config) {
    this.waits = webhooks.retrySchedule.map((seconds) => seconds * SECOND);
  }

  firstAt(now: number): Date {
    return new Date(now + withJitter(this.waits[0]!));
  }

  /**
   * Null when there was the last try.
   * @param tries how many there were, this one included
   */
  nextAt(tries: number, { status, error, retryAfter }: Exchange, now: number): Date | null {
    const wait = this.waits[tries];
    if (wait === undefined) return null;
    const slowDown = error === 'timeout' || (status !== null && SLOW_DOWN.has(status));
    const asked = Math.min(retryAfterMs(retryAfter, now), MAX_RETRY_AFTER_MS);
    return new Date(now + withJitter(Math.max(wait, asked, slowDown ? FLOOR_MS : 0)));
  }
}

function withJitter(ms: number): number {
  return ms + Math.floor((ms * randomInt(MAX_JITTER_PERCENT * 100 + 1)) / 10_000);
}

/** RFC 9110 §10.2.3: seconds or a date, in the one form that senders may write (§5.6.7); 0 for anything else. */
function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d{1,10}$/.test(header)) return Number(header) * SECOND;
  const at = IMF_FIXDATE.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
