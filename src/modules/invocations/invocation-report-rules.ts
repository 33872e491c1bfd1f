import { isFinalInvocationState, type InvocationReport } from '@external-api/protocol';
import type { RequestViolation } from '../../common/errors';
import { createEndRules, findReportViolations, type ReportRule } from '../../common/report-rules';

const REPORT_RULES: readonly ReportRule<InvocationReport>[] = [
  {
    path: '/errorCode',
    isBroken: ({ state, errorCode }) => (state === 'failed') !== (errorCode !== null),
    message: 'must say why an invocation failed, and be null for others',
  },
  {
    path: '/exitCode',
    isBroken: ({ state, exitCode, signal }) => state === 'completed' && (exitCode === null) === (signal === null),
    message: 'must be given for a completed command, or else signal',
  },
  {
    path: '/exitCode',
    isBroken: ({ state, exitCode, signal }) => state !== 'completed' && exitCode !== null && signal !== null,
    message: 'must be null if a signal ended the command',
  },
  {
    path: '/exitCode',
    isBroken: ({ state, exitCode }) => (state === 'running' || state === 'failed') && exitCode !== null,
    message: 'must be null for a command that runs or has failed',
  },
  {
    path: '/signal',
    isBroken: ({ state, signal }) => (state === 'running' || state === 'failed') && signal !== null,
    message: 'must be null for a command that runs or has failed',
  },
  {
    path: '/timedOut',
    isBroken: ({ state, timedOut }) => (state === 'timed_out') !== timedOut,
    message: 'must be true for a command whose time was up, and false for others',
  },
  {
    path: '/startedAt',
    isBroken: ({ state, startedAt }) =>
      (state === 'running' || state === 'completed' || state === 'timed_out') && startedAt === null,
    message: 'must not be null once the command has run',
  },
  ...createEndRules(isFinalInvocationState, 'an invocation'),
];

/** Returns a violation for each member that doesn't fit the others (docs/protocol/invocations.md#reports). */
export function findInvocationReportViolations(report: InvocationReport): RequestViolation[] {
  return findReportViolations(REPORT_RULES, report);
}
