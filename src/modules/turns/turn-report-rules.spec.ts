import type { TurnReport } from '@external-api/protocol';
import { findTurnReportViolations } from './turn-report-rules';

const queued: TurnReport = {
  revision: 1,
  state: 'queued',
  stopReason: null,
  errorCode: null,
  pendingPermissions: 0,
  usage: null,
  startedAt: null,
  endedAt: null,
};
const running: TurnReport = { ...queued, state: 'running', startedAt: 1_000 };
const completed: TurnReport = { ...running, state: 'completed', stopReason: 'end_turn', endedAt: 2_000 };
const failed: TurnReport = { ...queued, state: 'failed', errorCode: 'agent_lost', endedAt: 2_000 };

describe('a turn report', () => {
  it.each<[string, TurnReport]>([
    ['of a queued turn', queued],
    ['of a running turn', running],
    ['of a running turn with an open permission request', { ...running, pendingPermissions: 1 }],
    ['of a turn that requires action', { ...running, state: 'requires_action', pendingPermissions: 2 }],
    ['of a completed turn', completed],
    ['of a turn that ended as it began', { ...completed, endedAt: 1_000 }],
    ['of a failed turn that ran', { ...failed, startedAt: 1_000 }],
    ['of a failed turn that never ran', failed],
    ['of a turn that was cancelled while it ran', { ...completed, state: 'cancelled', stopReason: 'cancelled' }],
    ['of a turn that was cancelled in the queue', { ...queued, state: 'cancelled', endedAt: 2_000 }],
  ])('%s is accepted', (_, report) => {
    expect(findTurnReportViolations(report)).toEqual([]);
  });

  it.each<[string, TurnReport, string]>([
    ['a stop reason while it runs', { ...running, stopReason: 'end_turn' }, '/stopReason'],
    ['a stop reason of a failed turn', { ...failed, stopReason: 'end_turn' }, '/stopReason'],
    ['no stop reason of a completed turn', { ...completed, stopReason: null }, '/stopReason'],
    ['a completed turn that was cancelled', { ...completed, stopReason: 'cancelled' }, '/stopReason'],
    ['a cancelled turn that completed', { ...completed, state: 'cancelled' }, '/stopReason'],
    ['an error code while it runs', { ...running, errorCode: 'agent_error' }, '/errorCode'],
    ['no error code of a failed turn', { ...failed, errorCode: null }, '/errorCode'],
    ['pending permissions in the queue', { ...queued, pendingPermissions: 1 }, '/pendingPermissions'],
    ['pending permissions at the end', { ...completed, pendingPermissions: 1 }, '/pendingPermissions'],
    ['a start in the queue', { ...queued, startedAt: 1_000 }, '/startedAt'],
    ['no start while it runs', { ...running, startedAt: null }, '/startedAt'],
    ['no start of a completed turn', { ...completed, startedAt: null }, '/startedAt'],
    ['an end while it runs', { ...running, endedAt: 2_000 }, '/endedAt'],
    ['no end of a completed turn', { ...completed, endedAt: null }, '/endedAt'],
    ['an end before its start', { ...completed, endedAt: 999 }, '/endedAt'],
  ])('with %s has a violation', (_, report, path) => {
    expect(findTurnReportViolations(report)).toEqual([
      expect.objectContaining({ in: 'body', path, code: 'not_allowed' }),
    ]);
  });
});
