import type { ReportedTurnState, TurnState } from '@external-api/protocol';
import type { SessionActivity } from '../sessions';
import type { EventType } from '../../core/events';

/** States of a turn that has not ended. */
export const OPEN_TURN_STATES = ['queued', 'running', 'requires_action'] as const satisfies readonly TurnState[];
type OpenTurnState = (typeof OPEN_TURN_STATES)[number];

/** Next states of an open turn, apart from `lost`. A report may also repeat the state with other details. */
const NEXT_STATES: Record<OpenTurnState, readonly ReportedTurnState[]> = {
  queued: ['queued', 'running', 'cancelled', 'failed'],
  running: ['running', 'requires_action', 'completed', 'failed', 'cancelled'],
  requires_action: ['requires_action', 'running', 'completed', 'failed', 'cancelled'],
};

export function isOpenTurnState(state: TurnState): state is OpenTurnState {
  return OPEN_TURN_STATES.some((open) => open === state);
}

/** Whether a newer report may replace the stored state (docs/protocol/agents.md#reports). */
export function isTransitionAllowed(stored: TurnState, reported: ReportedTurnState): boolean {
  if (stored === 'lost') return true;
  return isOpenTurnState(stored) && NEXT_STATES[stored].includes(reported);
}

/**
 * Returns the event of a change, or null.
 * @param previous null for a new turn
 */
export function selectTurnEvent(previous: TurnState | null, next: TurnState): EventType | null {
  if (next === previous) return null;
  if (next === 'requires_action') return 'turn.requires_action';
  if (!isOpenTurnState(next)) return 'turn.ended';
  return next === 'running' && previous !== 'requires_action' ? 'turn.started' : null;
}

/** Derives what a session's agent does from the states of its turns. A lost turn counts as ended. */
export function deriveActivity(states: readonly TurnState[]): SessionActivity {
  if (states.includes('requires_action')) return 'requires_action';
  return states.some(isOpenTurnState) ? 'running' : 'idle';
}
