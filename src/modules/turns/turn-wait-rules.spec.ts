import { TURN_STATES, type TurnState } from '@external-api/protocol';
import { isAnswerDue } from './turn-wait-rules';

const listDueStates = (version: number, afterVersion: number | null): TurnState[] =>
  TURN_STATES.filter((state) => isAnswerDue({ state, version }, afterVersion));

describe('a call that waits for a turn', () => {
  it('without afterVersion answers at once unless the turn is queued or runs', () => {
    expect(listDueStates(3, null)).toEqual(['requires_action', 'completed', 'failed', 'cancelled', 'lost']);
  });

  it.each([3, 4, 100])('with afterVersion %d and version 3 answers final states only', (afterVersion) => {
    expect(listDueStates(3, afterVersion)).toEqual(['completed', 'failed', 'cancelled']);
  });

  it.each([0, 2])('with afterVersion %d and version 3 answers every state', (afterVersion) => {
    expect(listDueStates(3, afterVersion)).toEqual(TURN_STATES);
  });
});
