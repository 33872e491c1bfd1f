import { isFinalTurnState } from '@external-api/protocol';
import type { TurnRow } from './turn.response.dto';

/** What decides whether a caller gets an answer. */
export type TurnProgress = Pick<TurnRow, 'state' | 'version'>;

/** Returns the key of a turn in signals between instances. */
export function buildTurnKey(sessionId: string, turnId: string): string {
  return `${sessionId}/${turnId}`;
}

/**
 * Returns whether a call answers at once (docs/protocol/agents.md#waiting).
 * @param afterVersion null if the caller named none
 */
export function isAnswerDue({ state, version }: TurnProgress, afterVersion: number | null): boolean {
  if (isFinalTurnState(state)) return true;
  if (afterVersion !== null) return version > afterVersion;
  return state === 'requires_action' || state === 'lost';
}
