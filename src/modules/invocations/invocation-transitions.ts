import { isFinalInvocationState, type InvocationState } from '@external-api/protocol';
import type { InvocationRow } from './invocation.response.dto';

/** What decides whether a caller gets an answer. */
export type InvocationProgress = Pick<InvocationRow, 'state' | 'version'>;

/** Whether an invocation in this state has ended as far as is known. A lost invocation counts as ended. */
export function hasInvocationEnded(state: InvocationState): boolean {
  return state === 'lost' || isFinalInvocationState(state);
}

/** Whether a change to this state publishes `invocation.ended`. */
export function isEndOfInvocation(previous: InvocationState, next: InvocationState): boolean {
  return next !== previous && hasInvocationEnded(next);
}

/**
 * Returns whether a call answers at once (docs/protocol/invocations.md#wait-for-the-end).
 * @param afterVersion null if the caller named none
 */
export function isInvocationAnswerDue({ state, version }: InvocationProgress, afterVersion: number | null): boolean {
  if (isFinalInvocationState(state)) return true;
  return afterVersion === null ? state === 'lost' : version > afterVersion;
}
