import type { InvocationReport } from '@external-api/protocol';
import { findInvocationReportViolations } from './invocation-report-rules';

const running: InvocationReport = {
  revision: 1,
  state: 'running',
  errorCode: null,
  exitCode: null,
  signal: null,
  timedOut: false,
  stdoutBytes: 0,
  stderrBytes: 0,
  startedAt: 1_000,
  endedAt: null,
};
const completed: InvocationReport = { ...running, state: 'completed', exitCode: 0, stdoutBytes: 5, endedAt: 2_000 };
const cancelled: InvocationReport = { ...running, state: 'cancelled', signal: 'SIGTERM', endedAt: 2_000 };
const timedOut: InvocationReport = { ...cancelled, state: 'timed_out', timedOut: true };
const failed: InvocationReport = { ...running, state: 'failed', errorCode: 'process_lost', endedAt: 2_000 };

describe('an invocation report', () => {
  it.each<[string, InvocationReport]>([
    ['of a running command', running],
    ['of a completed command', completed],
    ['of a command that failed by its exit code', { ...completed, exitCode: 2 }],
    ['of a command that a signal ended', { ...completed, exitCode: null, signal: 'SIGSEGV' }],
    ['of a command that ended as it began', { ...completed, endedAt: 1_000 }],
    ['of a cancelled command', cancelled],
    ['of a cancelled command that exited by itself', { ...cancelled, signal: null, exitCode: 143 }],
    ['of a command that was cancelled before it ran', { ...cancelled, signal: null, startedAt: null }],
    ['of a command whose time was up', timedOut],
    ['of a lost process', failed],
    ['of a command that never ran', { ...failed, errorCode: 'command_not_found', startedAt: null }],
  ])('%s is accepted', (_, report) => {
    expect(findInvocationReportViolations(report)).toEqual([]);
  });

  it.each<[string, InvocationReport, string]>([
    ['an error code while it runs', { ...running, errorCode: 'internal' }, '/errorCode'],
    ['no error code of a failed invocation', { ...failed, errorCode: null }, '/errorCode'],
    ['neither exit code nor signal of a completed command', { ...completed, exitCode: null }, '/exitCode'],
    ['exit code and signal of a completed command', { ...completed, signal: 'SIGTERM' }, '/exitCode'],
    ['exit code and signal of a cancelled command', { ...cancelled, exitCode: 0 }, '/exitCode'],
    ['an exit code while it runs', { ...running, exitCode: 0 }, '/exitCode'],
    ['an exit code of a failed invocation', { ...failed, exitCode: 0 }, '/exitCode'],
    ['a signal while it runs', { ...running, signal: 'SIGTERM' }, '/signal'],
    ['a signal of a failed invocation', { ...failed, signal: 'SIGTERM' }, '/signal'],
    ['a time that is up and is not', { ...timedOut, timedOut: false }, '/timedOut'],
    ['a time that is up of a completed command', { ...completed, timedOut: true }, '/timedOut'],
    ['no start while it runs', { ...running, startedAt: null }, '/startedAt'],
    ['no start of a completed command', { ...completed, startedAt: null }, '/startedAt'],
    ['no start of a command whose time was up', { ...timedOut, startedAt: null }, '/startedAt'],
    ['an end while it runs', { ...running, endedAt: 2_000 }, '/endedAt'],
    ['no end of a completed command', { ...completed, endedAt: null }, '/endedAt'],
    ['an end before its start', { ...completed, endedAt: 999 }, '/endedAt'],
  ])('with %s has a violation', (_, report, path) => {
    expect(findInvocationReportViolations(report)).toEqual([
      expect.objectContaining({ in: 'body', path, code: 'not_allowed' }),
    ]);
  });
});
