import { DAY, HOUR, MINUTE, SECOND } from '../../common/clock';
import { computeRetryDelayMs, resolveSchedule, type RetryReason } from './queued-message-rules';

const NOW = Date.UTC(2026, 10, 23);

describe('the schedule of a queued message', () => {
  it.each([
    { delivery: {}, notBefore: null, expiresAt: 7 * DAY },
    { delivery: { notBefore: NOW - HOUR }, notBefore: -HOUR, expiresAt: 7 * DAY },
    { delivery: { notBefore: NOW + 7 * DAY - 1 }, notBefore: 7 * DAY - 1, expiresAt: 7 * DAY },
    { delivery: { expiresAt: NOW + 1 }, notBefore: null, expiresAt: 1 },
    { delivery: { expiresAt: NOW + 7 * DAY + MINUTE }, notBefore: null, expiresAt: 7 * DAY + MINUTE },
    { delivery: { notBefore: NOW + HOUR, expiresAt: NOW + HOUR + 1 }, notBefore: HOUR, expiresAt: HOUR + 1 },
  ])('of $delivery is resolved', ({ delivery, notBefore, expiresAt }) => {
    expect(resolveSchedule(delivery, NOW)).toEqual({
      schedule: {
        notBefore: notBefore === null ? null : new Date(NOW + notBefore),
        expiresAt: new Date(NOW + expiresAt),
      },
    });
  });

  const PAST = '/delivery/expiresAt must be in the future.';
  const TOO_LATE = '/delivery/expiresAt must be within 7 days.';
  const ORDER = '/delivery/notBefore must be before /delivery/expiresAt.';
  it.each([
    { delivery: { expiresAt: NOW }, messages: [PAST] },
    { delivery: { expiresAt: 0 }, messages: [PAST] },
    { delivery: { expiresAt: NOW + 7 * DAY + MINUTE + 1 }, messages: [TOO_LATE] },
    { delivery: { notBefore: NOW + HOUR, expiresAt: NOW + HOUR }, messages: [ORDER] },
    { delivery: { notBefore: NOW, expiresAt: NOW - 1 }, messages: [PAST, ORDER] },
    { delivery: { notBefore: NOW + 7 * DAY }, messages: ['/delivery/notBefore must be within 7 days.'] },
  ])('of $delivery is refused', ({ delivery, messages }) => {
    const resolved = resolveSchedule(delivery, NOW);
    const violations = 'violations' in resolved ? resolved.violations : [];
    expect(violations.map(({ message }) => message)).toEqual(messages);
    for (const { code } of violations) expect(code).toBe('out_of_range');
  });
});

describe('the delay before the next attempt', () => {
  it.each<[attempts: number, reason: RetryReason, delayMs: number]>([
    [1, 'no_online_device', 5 * SECOND],
    [2, 'no_online_device', 10 * SECOND],
    [8, 'no_online_device', 640 * SECOND],
    [9, 'no_online_device', 15 * MINUTE],
    [5_000, 'no_online_device', 15 * MINUTE],
    [1, 'device_busy', 5 * SECOND],
    [4, 'device_busy', 40 * SECOND],
    [5, 'device_busy', MINUTE],
    [1, 'relay_unavailable', 5 * SECOND],
    [5_000, 'relay_unavailable', MINUTE],
  ])('after attempt %d with %s is %d ms', (attempts, reason, delayMs) => {
    expect(computeRetryDelayMs(attempts, reason)).toBe(delayMs);
  });
});
