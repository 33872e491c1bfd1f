import { bodyViolation, type RequestViolation } from './errors';

/** Rule of the members of a device's report: `path` is not allowed with the others as they are. */
export interface ReportRule<Report> {
  path: string;
  isBroken: (report: Report) => boolean;
  message: string;
}

interface EndingReport<State> {
  state: State;
  startedAt: number | null;
  endedAt: number | null;
}

/** @param noun of what is reported, with its article */
export function createEndRules<State>(
  isFinalState: (state: State) => boolean,
  noun: string,
): readonly ReportRule<EndingReport<State>>[] {
  return [
    {
      path: '/endedAt',
      isBroken: ({ state, endedAt }) => isFinalState(state) !== (endedAt !== null),
      message: `must not be null for ${noun} that has ended, and be null for others`,
    },
    {
      path: '/endedAt',
      isBroken: ({ startedAt, endedAt }) => startedAt !== null && endedAt !== null && endedAt < startedAt,
      message: 'must not be before startedAt',
    },
  ];
}

/** Returns a violation for each member that doesn't fit the others. */
export function findReportViolations<Report>(rules: readonly ReportRule<Report>[], report: Report): RequestViolation[] {
  return rules
    .filter(({ isBroken }) => isBroken(report))
    .map(({ path, message }) => bodyViolation(path, 'not_allowed', message));
}
