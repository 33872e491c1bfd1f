import crypto from 'node:crypto';
import { DAY, HOUR, MINUTE, SECOND } from '../../../common/clock';
import type { Config } from '../../../core/config';
import type { WebhookExchange } from '../../webhook-sending';
import { RetryPolicy } from './retry-policy';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SCHEDULE = [0, 5, 300, 1_800];
const FAILURE: WebhookExchange = {
  status: 500,
  error: null,
  response: null,
  responseHeaders: null,
  retryAfter: null,
  sentAt: NOW,
  durationMs: 1,
};

function createPolicy(retrySchedule: readonly number[]): RetryPolicy {
  return new RetryPolicy({ webhooks: { retrySchedule } } as unknown as Config);
}

describe('RetryPolicy', () => {
  const policy = createPolicy(SCHEDULE);
  const getRandomInt = jest.spyOn(crypto, 'randomInt') as unknown as jest.SpyInstance<number, [max: number]>;
  const useLeastJitter = () => getRandomInt.mockReturnValue(0);
  const useMostJitter = () => getRandomInt.mockImplementation((max) => max - 1);
  beforeEach(useLeastJitter);
  afterAll(() => getRandomInt.mockRestore());

  const getDelay = (attemptCount: number, exchange: Partial<WebhookExchange> = {}) => {
    const nextAt = policy.getNextAttemptAt(attemptCount, { ...FAILURE, ...exchange }, NOW);
    return nextAt && nextAt.getTime() - NOW;
  };

  describe('schedule', () => {
    it.each([
      ['at once if the first delay is 0', [0, 5], 0],
      ['after the first delay', [30, 5], 30 * SECOND],
    ])('makes the first attempt %s', (_name, schedule, delayMs) => {
      expect(createPolicy(schedule).getFirstAttemptAt(NOW).getTime() - NOW).toBe(delayMs);
    });

    it.each([
      { attemptCount: 1, delayMs: 5 * SECOND },
      { attemptCount: 2, delayMs: 300 * SECOND },
      { attemptCount: 3, delayMs: 1_800 * SECOND },
    ])('waits $delayMs ms after attempt $attemptCount', ({ attemptCount, delayMs }) => {
      expect(getDelay(attemptCount)).toBe(delayMs);
    });

    it.each([4, 5])('makes no further attempt after %i of 4', (attemptCount) => {
      expect(getDelay(attemptCount)).toBeNull();
    });

    it('makes no attempt after the last one, whatever the endpoint asks for', () => {
      expect(getDelay(4, { status: 429, retryAfter: '60' })).toBeNull();
    });
  });

  describe('jitter', () => {
    it.each([
      ['a delay of the schedule', {}, 2, 300 * SECOND],
      ['a requested delay', { retryAfter: '600' }, 2, 600 * SECOND],
      ['the minimum delay after a timeout', { status: null, error: 'timeout' as const }, 1, MINUTE],
    ])('adds at most 20 % to %s', (_name, exchange, attemptCount, delayMs) => {
      expect(getDelay(attemptCount, exchange)).toBe(delayMs);
      useMostJitter();
      expect(getDelay(attemptCount, exchange)).toBe(1.2 * delayMs);
    });

    it('adds at most 20 % to the delay of the first attempt', () => {
      useMostJitter();
      expect(createPolicy([30]).getFirstAttemptAt(NOW).getTime() - NOW).toBe(36 * SECOND);
    });
  });

  describe('minimum delay of a minute', () => {
    it.each([
      ['a timeout', { status: null, error: 'timeout' as const }, MINUTE],
      ['429', { status: 429 }, MINUTE],
      ['502', { status: 502 }, MINUTE],
      ['504', { status: 504 }, MINUTE],
      ['428', { status: 428 }, 5 * SECOND],
      ['500', { status: 500 }, 5 * SECOND],
      ['501', { status: 501 }, 5 * SECOND],
      ['503', { status: 503 }, 5 * SECOND],
      ['505', { status: 505 }, 5 * SECOND],
      ['a lost connection', { status: null, error: 'connection_lost' as const }, 5 * SECOND],
    ])(
      'replaces a delay of 5 s after a status or timeout that asks to slow down, and no other: %s',
      (_name, exchange, delayMs) => {
        expect(getDelay(1, exchange)).toBe(delayMs);
      },
    );

    it('does not shorten a longer delay of the schedule', () => {
      expect(getDelay(2, { status: 429 })).toBe(300 * SECOND);
    });
  });

  describe('Retry-After', () => {
    it.each([
      ['seconds above the delay', '301', 301 * SECOND],
      ['the delay itself', '300', 300 * SECOND],
      ['seconds below the delay', '299', 300 * SECOND],
      ['0', '0', 300 * SECOND],
      ['a second below a day', '86399', DAY - SECOND],
      ['a day', '86400', DAY],
      ['more than a day', '86401', DAY],
      ['ten digits', '9999999999', DAY],
      ['eleven digits', '99999999999', 300 * SECOND],
      ['a date in an hour', 'Thu, 01 Jan 2026 01:00:00 GMT', HOUR],
      ['a date before the delay ends', 'Thu, 01 Jan 2026 00:04:59 GMT', 300 * SECOND],
      ['a date in the past', 'Wed, 31 Dec 2025 23:00:00 GMT', 300 * SECOND],
      ['a date after more than a day', 'Sat, 03 Jan 2026 00:00:00 GMT', DAY],
      ['a date that does not exist', 'Thu, 99 Jan 2026 01:00:00 GMT', 300 * SECOND],
      ['a date of another zone', 'Thu, 01 Jan 2026 01:00:00 CET', 300 * SECOND],
      ['a date in ISO 8601', '2026-01-01T01:00:00Z', 300 * SECOND],
      ['a fraction', '600.5', 300 * SECOND],
      ['a negative number', '-600', 300 * SECOND],
      ['an exponent', '6e2', 300 * SECOND],
      ['space around it', ' 600 ', 300 * SECOND],
      ['two values', '600, 700', 300 * SECOND],
      ['nothing', '', 300 * SECOND],
    ])('extends a delay of 300 s to at most a day, or is ignored: %s (%j)', (_name, retryAfter, delayMs) => {
      expect(getDelay(2, { retryAfter })).toBe(delayMs);
    });

    it('does not shorten the minimum delay, and extends it', () => {
      expect(getDelay(1, { status: 429, retryAfter: '59' })).toBe(MINUTE);
      expect(getDelay(1, { status: 429, retryAfter: '61' })).toBe(61 * SECOND);
    });
  });
});
