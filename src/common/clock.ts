import { Injectable } from '@nestjs/common';

/** The service's only source of time, so that tests can move it. */
@Injectable()
export class Clock {
  /** Unix time in milliseconds. */
  now(): number {
    return Date.now();
  }

  date(): Date {
    return new Date(this.now());
  }

  /** Milliseconds since some moment, for durations: it goes on evenly when somebody sets the machine's clock. */
  monotonic(): number {
    return performance.now();
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
