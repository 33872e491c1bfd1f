import { CommandError } from '../exec/command-error';
import {
  createEndChange,
  createLostChange,
  createNextReport,
  createRefusedChange,
  createUnknownReport,
} from './invocation-reports';
import type { InvocationEnd } from './invocation-run';

const END: InvocationEnd = { outcome: 'exited', exitCode: 0, signal: null, stdoutBytes: 5, stderrBytes: 6 };

describe('the end of an invocation', () => {
  it.each<[string, Partial<InvocationEnd>, object]>([
    ['a command that exits', {}, { state: 'completed', exitCode: 0, signal: null }],
    ['a command that a signal ends', { exitCode: null, signal: 'SIGSEGV' }, { state: 'completed', signal: 'SIGSEGV' }],
    ['a cancelled one', { outcome: 'cancelled', exitCode: 143 }, { state: 'cancelled', exitCode: 143 }],
    ['one whose time is up', { outcome: 'timedOut' }, { state: 'timed_out', timedOut: true }],
    ['one of which nothing is known', { exitCode: null }, { state: 'failed', errorCode: 'process_lost' }],
  ])('of %s', (_, end, expected) => {
    expect(createEndChange({ ...END, ...end }, 9_000)).toMatchObject({ ...expected, endedAt: 9_000 });
  });

  it.each([
    [new CommandError('cwd_not_found', 'm'), { state: 'failed', errorCode: 'cwd_not_found' }],
    [new CommandError('conflict', 'm'), { state: 'failed', errorCode: 'internal' }],
    [new Error('ENOSPC'), { state: 'failed', errorCode: 'internal' }],
    [new CommandError('cancelled', 'm'), { state: 'cancelled' }],
  ])('that did not start because of %s', (error, expected) => {
    expect(createRefusedChange(error, 9_000)).toMatchObject({ ...expected, endedAt: 9_000 });
  });
});

describe('the reports of an invocation', () => {
  const running = createNextReport(null, { state: 'running', startedAt: 5_000 });

  it('count from 1, and keep what does not change', () => {
    expect(running).toMatchObject({ revision: 1, state: 'running', startedAt: 5_000, endedAt: null });
    const completed = createNextReport(running, createEndChange(END, 6_000));
    expect(completed).toMatchObject({ revision: 2, state: 'completed', startedAt: 5_000, stdoutBytes: 5 });
  });

  it('never end before they begin, though the clock was set back', () => {
    expect(createNextReport(running, createLostChange(4_000))).toMatchObject({ startedAt: 5_000, endedAt: 5_000 });
    expect(createUnknownReport(5_000, 4_000)).toMatchObject({ endedAt: 5_000, revision: 2_147_483_647 });
  });
});
