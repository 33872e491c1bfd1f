import { isFinalTurnState, REPORTED_TURN_STATES, TURN_STATES, type TurnState } from '@external-api/protocol';
import { deriveActivity, isOpenTurnState, isTransitionAllowed, selectTurnEvent } from './turn-transitions';

describe('the transitions of a turn', () => {
  it.each<[TurnState, readonly TurnState[]]>([
    ['queued', ['queued', 'running', 'failed', 'cancelled']],
    ['running', ['running', 'requires_action', 'completed', 'failed', 'cancelled']],
    ['requires_action', ['running', 'requires_action', 'completed', 'failed', 'cancelled']],
    ['completed', []],
    ['failed', []],
    ['cancelled', []],
    ['lost', ['queued', 'running', 'requires_action', 'completed', 'failed', 'cancelled']],
  ])('from %s are %j', (stored, allowed) => {
    expect(REPORTED_TURN_STATES.filter((state) => isTransitionAllowed(stored, state))).toEqual(allowed);
  });

  it('divide the states into open, final and lost ones', () => {
    expect(TURN_STATES.filter(isOpenTurnState)).toEqual(['queued', 'running', 'requires_action']);
    expect(TURN_STATES.filter(isFinalTurnState)).toEqual(['completed', 'failed', 'cancelled']);
  });
});

describe('the event of a change', () => {
  it.each<[TurnState | null, TurnState, string | null]>([
    [null, 'queued', null],
    [null, 'running', 'turn.started'],
    [null, 'requires_action', 'turn.requires_action'],
    [null, 'failed', 'turn.ended'],
    ['queued', 'running', 'turn.started'],
    ['queued', 'cancelled', 'turn.ended'],
    ['running', 'running', null],
    ['running', 'requires_action', 'turn.requires_action'],
    ['requires_action', 'requires_action', null],
    ['requires_action', 'running', null],
    ['running', 'completed', 'turn.ended'],
    ['running', 'lost', 'turn.ended'],
    ['lost', 'running', 'turn.started'],
    ['lost', 'queued', null],
    ['lost', 'requires_action', 'turn.requires_action'],
    ['lost', 'completed', 'turn.ended'],
  ])('from %s to %s is %s', (previous, next, event) => {
    expect(selectTurnEvent(previous, next)).toBe(event);
  });
});

describe('the activity of a session', () => {
  it.each<[TurnState[], string]>([
    [[], 'idle'],
    [['completed', 'failed', 'cancelled', 'lost'], 'idle'],
    [['completed', 'queued'], 'running'],
    [['running', 'lost'], 'running'],
    [['queued', 'requires_action', 'running'], 'requires_action'],
  ])('with turns in %j is %s', (states, activity) => {
    expect(deriveActivity(states)).toBe(activity);
  });
});
