import { isFinalTurnState, type TurnReport } from '@external-api/protocol';
import type { RequestViolation } from '../../common/errors';
import { createEndRules, findReportViolations, type ReportRule } from '../../common/report-rules';

const REPORT_RULES: readonly ReportRule<TurnReport>[] = [
  {
    path: '/stopReason',
    isBroken: ({ state, stopReason }) =>
      state === 'completed' ? stopReason === null || stopReason === 'cancelled' : false,
    message: 'must say why a completed turn stopped',
  },
  {
    path: '/stopReason',
    isBroken: ({ state, stopReason }) =>
      state === 'cancelled' ? stopReason !== null && stopReason !== 'cancelled' : false,
    message: 'must be cancelled or null for a cancelled turn',
  },
  {
    path: '/stopReason',
    isBroken: ({ state, stopReason }) => state !== 'completed' && state !== 'cancelled' && stopReason !== null,
    message: 'must be null unless the turn is completed or cancelled',
  },
  {
    path: '/errorCode',
    isBroken: ({ state, errorCode }) => (state === 'failed') !== (errorCode !== null),
    message: 'must say why a turn failed, and be null for others',
  },
  {
    path: '/pendingPermissions',
    isBroken: ({ state, pendingPermissions }) =>
      pendingPermissions > 0 && state !== 'running' && state !== 'requires_action',
    message: 'must be 0 unless the turn runs or requires action',
  },
  {
    path: '/startedAt',
    isBroken: ({ state, startedAt }) => state === 'queued' && startedAt !== null,
    message: 'must be null for a queued turn',
  },
  {
    path: '/lastActivityAt',
    isBroken: ({ state, lastActivityAt }) => state === 'queued' && (lastActivityAt ?? null) !== null,
    message: 'must be null for a queued turn',
  },
  {
    path: '/startedAt',
    isBroken: ({ state, startedAt }) =>
      (state === 'running' || state === 'requires_action' || state === 'completed') && startedAt === null,
    message: 'must not be null once the turn has run',
  },
  ...createEndRules(isFinalTurnState, 'a turn'),
];

/** Returns a violation for each member that doesn't fit the others (docs/protocol/agents.md#reports). */
export function findTurnReportViolations(report: TurnReport): RequestViolation[] {
  return findReportViolations(REPORT_RULES, report);
}
