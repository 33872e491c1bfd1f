import { DAY, MINUTE } from '../../../common/clock';
import { CLOSED_CIRCUIT, shouldDisableEndpoint, updateCircuitBreaker, type CircuitBreaker } from './circuit-breaker';

const SINCE = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-01-02T00:00:00Z');
const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
const failing = (failures: number): CircuitBreaker => ({
  failures,
  failingSince: SINCE,
  probeAt: failures >= 10 ? NOW : null,
});

describe('circuit breaker', () => {
  it('records the time of the first failure', () => {
    expect(updateCircuitBreaker(CLOSED_CIRCUIT, false, NOW)).toEqual({ failures: 1, failingSince: NOW, probeAt: null });
  });

  it.each([
    { before: 1, failures: 2, isOpen: false },
    { before: 8, failures: 9, isOpen: false },
    { before: 9, failures: 10, isOpen: true },
    { before: 10, failures: 11, isOpen: true },
  ])('after $failures consecutive failures has isOpen=$isOpen', ({ before, failures, isOpen }) => {
    const breaker = updateCircuitBreaker(failing(before), false, NOW);
    expect(breaker).toEqual({ failures, failingSince: SINCE, probeAt: isOpen ? after(NOW, MINUTE) : null });
  });

  it('probes again a minute after each failed probe', () => {
    const firstProbeAt = after(NOW, MINUTE);
    const opened = updateCircuitBreaker(failing(9), false, NOW);
    expect(updateCircuitBreaker(opened, false, firstProbeAt).probeAt).toEqual(after(firstProbeAt, MINUTE));
  });

  it.each([
    ['closed', CLOSED_CIRCUIT],
    ['failing', failing(9)],
    ['open', failing(12)],
  ])('is closed, without a past, by one success when it is %s', (_state, breaker) => {
    expect(updateCircuitBreaker(breaker, true, NOW)).toEqual({ failures: 0, failingSince: null, probeAt: null });
  });

  it('needs ten failures to open again after a success', () => {
    const closed = updateCircuitBreaker(failing(12), true, NOW);
    expect(updateCircuitBreaker(closed, false, NOW)).toEqual({ failures: 1, failingSince: NOW, probeAt: null });
  });
});

describe('a failing endpoint', () => {
  it.each([
    { elapsed: 'no time', ms: 0, isDisabled: false },
    { elapsed: 'a millisecond less than five days', ms: 5 * DAY - 1, isDisabled: false },
    { elapsed: 'five days', ms: 5 * DAY, isDisabled: true },
    { elapsed: 'a millisecond more than five days', ms: 5 * DAY + 1, isDisabled: true },
  ])('after $elapsed has isDisabled=$isDisabled', ({ ms, isDisabled }) => {
    expect(shouldDisableEndpoint(failing(12), after(SINCE, ms))).toBe(isDisabled);
  });

  it('is disabled by elapsed time, not by the number of failures', () => {
    expect(shouldDisableEndpoint(failing(2), after(SINCE, 5 * DAY))).toBe(true);
    expect(shouldDisableEndpoint(failing(10_000), after(SINCE, DAY))).toBe(false);
  });

  it('is not disabled if its last attempt succeeded', () => {
    expect(shouldDisableEndpoint(CLOSED_CIRCUIT, after(SINCE, 100 * DAY))).toBe(false);
  });
});
