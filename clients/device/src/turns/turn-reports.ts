import type { TurnReport } from '@external-api/protocol';
import { createFirstTurnReport } from '../history/turn-announcer';

/** The largest revision that the service stores: the device doesn't know the last one of a turn that it has lost. */
export const LAST_REVISION = 2_147_483_647;

export function getTurnPath({ sessionId, requestId }: { sessionId: string; requestId: string }): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(requestId)}`;
}

/** Returns the first state after `queued`. Its revision changes nothing if the service knows a later state. */
export const createStartReport = ({ startedAt, origin }: TurnReport): TurnReport => ({
  ...createFirstTurnReport(origin),
  revision: 2,
  state: 'running',
  startedAt,
});

/** Change to the end of a turn that can't be run or continued. */
export const createLostChange = (endedAt: number) =>
  ({ state: 'failed', errorCode: 'agent_lost', pendingPermissions: 0, endedAt }) as const;

/** Returns the end of an open turn of which this device knows only what the service has stored. */
export function createLostReport(
  { startedAt = null, usage = null }: Partial<Pick<TurnReport, 'startedAt' | 'usage'>>,
  endedAt: number,
): TurnReport {
  const change = createLostChange(Math.max(endedAt, startedAt ?? 0));
  return { ...createFirstTurnReport(), ...change, revision: LAST_REVISION, startedAt, usage };
}
