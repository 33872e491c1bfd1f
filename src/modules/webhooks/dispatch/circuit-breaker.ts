import { DAY, MINUTE } from '../../../common/clock';

/** Consecutive failures that open the circuit breaker (docs/protocol/webhooks.md#attempts). */
const FAILURES_TO_OPEN = 10;
/** Interval between probes of an open circuit breaker, in ms. Probes run one at a time. */
const PROBE_INTERVAL_MS = MINUTE;
const DISABLE_AFTER_MS = 5 * DAY;

/** Circuit breaker of one webhook endpoint. */
export interface CircuitBreaker {
  failures: number;
  failingSince: Date | null;
  /** Time of the next probe. Set while the circuit breaker is open. */
  probeAt: Date | null;
}

export const CLOSED_CIRCUIT: CircuitBreaker = { failures: 0, failingSince: null, probeAt: null };

export function updateCircuitBreaker(
  { failures, failingSince }: CircuitBreaker,
  isSuccessful: boolean,
  endedAt: Date,
): CircuitBreaker {
  if (isSuccessful) return CLOSED_CIRCUIT;
  const isOpen = failures + 1 >= FAILURES_TO_OPEN;
  return {
    failures: failures + 1,
    failingSince: failingSince ?? endedAt,
    probeAt: isOpen ? new Date(endedAt.getTime() + PROBE_INTERVAL_MS) : null,
  };
}

/** Returns whether the endpoint has failed for so long that its webhook is disabled. */
export function shouldDisableEndpoint({ failingSince }: CircuitBreaker, endedAt: Date): boolean {
  return failingSince !== null && endedAt.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS;
}
