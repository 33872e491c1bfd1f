import { DAY, MINUTE } from '../../common/clock';

/** Failures in a row that open the breaker (webhooks.md, Engine). */
const BREAKER_FAILURES = 10;
/** Between the tries that an open breaker lets through, one at a time. */
const PROBE_WAIT_MS = MINUTE;
const DISABLED_AFTER_MS = 5 * DAY;

/** How an endpoint has fared of late. */
export interface LaneHealth {
  failures: number;
  failingSince: Date | null;
  /** Set while the breaker is open. */
  probeAt: Date | null;
}

export const HEALTHY: LaneHealth = { failures: 0, failingSince: null, probeAt: null };

export function afterTry({ failures, failingSince }: LaneHealth, succeeded: boolean, at: Date): LaneHealth {
  if (succeeded) return HEALTHY;
  const open = failures + 1 >= BREAKER_FAILURES;
  return {
    failures: failures + 1,
    failingSince: failingSince ?? at,
    probeAt: open ? new Date(at.getTime() + PROBE_WAIT_MS) : null,
  };
}

/** Whether it has failed for so long that nothing more is sent there. */
export function isGivenUp({ failingSince }: LaneHealth, at: Date): boolean {
  return failingSince !== null && at.getTime() - failingSince.getTime() >= DISABLED_AFTER_MS;
}
