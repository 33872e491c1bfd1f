import type { InvocationErrorCode, InvocationReport } from '@external-api/protocol';
import { INVOCATION_ERROR_CODES } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import { LAST_REVISION } from '../turns/turn-reports';
import type { InvocationEnd } from './invocation-run';

export type InvocationChange = Partial<Omit<InvocationReport, 'revision'>>;

const EMPTY_REPORT: InvocationReport = {
  revision: 0,
  state: 'running',
  errorCode: null,
  exitCode: null,
  signal: null,
  timedOut: false,
  stdoutBytes: 0,
  stderrBytes: 0,
  startedAt: null,
  endedAt: null,
};

/** Returns the next report of an invocation. An end is never before its start, even if the clock was set back. */
export function createNextReport(report: InvocationReport | null, change: InvocationChange): InvocationReport {
  const next = { ...EMPTY_REPORT, ...report, ...change };
  const endedAt = next.endedAt === null ? null : Math.max(next.endedAt, next.startedAt ?? 0);
  return { ...next, endedAt, revision: (report?.revision ?? 0) + 1 };
}

export function createEndChange(end: InvocationEnd, endedAt: number): InvocationChange {
  const { outcome, exitCode, signal, stdoutBytes, stderrBytes } = end;
  const common = { exitCode, signal, stdoutBytes, stderrBytes, endedAt };
  if (outcome === 'cancelled') return { ...common, state: 'cancelled' };
  if (outcome === 'timedOut') return { ...common, state: 'timed_out', timedOut: true };
  if (exitCode === null && signal === null) return createLostChange(endedAt);
  return { ...common, state: 'completed' };
}

/** Change to the end of an invocation whose process ended with the device program. */
export const createLostChange = (endedAt: number): InvocationChange => createFailedChange('process_lost', endedAt);

/** Change to the end of an invocation that did not start. */
export function createRefusedChange(error: unknown, endedAt: number): InvocationChange {
  const code = error instanceof CommandError ? error.code : 'internal';
  if (code === 'cancelled') return { state: 'cancelled', endedAt };
  const isKnown = INVOCATION_ERROR_CODES.some((known) => known === code);
  return createFailedChange(isKnown ? (code as InvocationErrorCode) : 'internal', endedAt);
}

/** Returns the end of an open invocation of which this device knows only what the service has stored. */
export function createUnknownReport(startedAt: number | null, endedAt: number): InvocationReport {
  const report = createNextReport(null, { ...createLostChange(endedAt), startedAt });
  return { ...report, revision: LAST_REVISION };
}

const createFailedChange = (errorCode: InvocationErrorCode, endedAt: number): InvocationChange => ({
  state: 'failed',
  errorCode,
  exitCode: null,
  signal: null,
  endedAt,
});
