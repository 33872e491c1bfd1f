import type { TurnRecord } from '../content/records';
import { placeTurnMarks } from './message-window';
import type { OpenedMessage } from './opened-message';

/** @param turnIds of messages with the `seq` from 11 on */
const place = (turnIds: (string | null)[], turns: Partial<TurnRecord>[]) => {
  const messages = turnIds.map((turnId, index) => ({ turnId, seq: 11 + index }) as OpenedMessage);
  const known = new Map(turns.map((turn) => [turn.id!, { origin: 'message', ...turn } as TurnRecord]));
  const { begun, ended } = placeTurnMarks({ messages, lastSeq: 99 }, known);
  const toIds = (marks: ReadonlyMap<number, TurnRecord>) => [...marks].map(([seq, { id }]) => `${id} at ${seq}`);
  return { begun: toIds(begun), ended: toIds(ended) };
};

describe('the marks of turns', () => {
  it('are at the last message of a turn that has ended', () => {
    const turns = [
      { id: 'a', endedAt: 1, lastSeq: 12 },
      { id: 'b', endedAt: null, lastSeq: 14 },
    ];
    expect(place(['a', 'a', 'b', 'b', null, 'unknown'], turns)).toEqual({ begun: [], ended: ['a at 12'] });
  });

  it('are at the first message of a turn that the agent has begun, also between messages of another one', () => {
    const turns = [
      { id: 'a', endedAt: 1, lastSeq: 14 },
      { id: 'own', origin: 'agent' as const, endedAt: 1, lastSeq: 13 },
    ];
    const expected = { begun: ['own at 12'], ended: ['a at 14', 'own at 13'] };
    expect(place(['a', 'own', 'own', 'a'], turns)).toEqual(expected);
  });

  it('are left out if the last message of the turn is not loaded, and are late rather than early', () => {
    expect(place(['a'], [{ id: 'a', endedAt: 1, lastSeq: 12 }]).ended).toEqual([]);
    expect(place(['a', 'a'], [{ id: 'a', endedAt: 1, lastSeq: 11 }]).ended).toEqual(['a at 12']);
    expect(place(['a'], [{ id: 'a', endedAt: 1, lastSeq: null }]).ended).toEqual(['a at 11']);
  });
});
