import { Injectable } from '@nestjs/common';

/** Single source of time of the service, which tests can replace. */
@Injectable()
export class Clock {
  /** Unix time in milliseconds. */
  now(): number {
    return Date.now();
  }

  currentDate(): Date {
    return new Date(this.now());
  }

  /** Milliseconds since an arbitrary origin, for durations. Changes of the system clock don't affect it. */
  monotonicMs(): number {
    return performance.now();
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
