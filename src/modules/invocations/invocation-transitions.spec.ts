import { INVOCATION_STATES, isFinalInvocationState, type InvocationState } from '@external-api/protocol';
import { isInvocationAnswerDue, isEndOfInvocation } from './invocation-transitions';

const FINAL_STATES: InvocationState[] = ['completed', 'cancelled', 'timed_out', 'failed'];

describe('the states of an invocation', () => {
  it('are open or final, and a lost one can still change', () => {
    expect(INVOCATION_STATES.filter(isFinalInvocationState)).toEqual(FINAL_STATES);
  });
});

describe('invocation.ended', () => {
  it.each<[InvocationState, InvocationState, boolean]>([
    ['starting', 'running', false],
    ['starting', 'failed', true],
    ['starting', 'lost', true],
    ['running', 'running', false],
    ['running', 'completed', true],
    ['running', 'timed_out', true],
    ['running', 'cancelled', true],
    ['running', 'lost', true],
    ['lost', 'running', false],
    ['lost', 'completed', true],
  ])('from %s to %s is sent: %s', (previous, next, isSent) => {
    expect(isEndOfInvocation(previous, next)).toBe(isSent);
  });
});

describe('a call that waits for an invocation', () => {
  const listDueStates = (version: number, afterVersion: number | null): InvocationState[] =>
    INVOCATION_STATES.filter((state) => isInvocationAnswerDue({ state, version }, afterVersion));

  it('without afterVersion answers at once when it has ended or is lost', () => {
    expect(listDueStates(3, null)).toEqual([...FINAL_STATES, 'lost']);
  });

  it.each([3, 4, 100])('with afterVersion %d and version 3 answers final states only', (afterVersion) => {
    expect(listDueStates(3, afterVersion)).toEqual(FINAL_STATES);
  });

  it.each([0, 2])('with afterVersion %d and version 3 answers every state', (afterVersion) => {
    expect(listDueStates(3, afterVersion)).toEqual(INVOCATION_STATES);
  });
});
