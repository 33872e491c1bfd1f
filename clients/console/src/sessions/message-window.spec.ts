import type { TurnRecord } from '../content/records';
import { placeDecisions, placeTurnMarks } from './message-window';
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

describe('a request that was decided', () => {
  it('follows the last message before the decision, and is left out if that is not loaded', () => {
    const messages = [10, 20, 20, 30].map((createdAt, index) => ({ createdAt, seq: index + 1 }) as OpenedMessage);
    const decided = [
      { id: 'allowed', createdAt: 11, decidedAt: 25 },
      { id: 'expired', createdAt: 12, decidedAt: null },
      { id: 'newest', createdAt: 31, decidedAt: 40 },
      { id: 'before', createdAt: 1, decidedAt: 9 },
    ].map((record) => ({ record }));
    const placed = placeDecisions({ messages, lastSeq: 4 }, decided);
    expect([...placed].map(([seq, [{ record }]]: any) => [seq, record.id])).toEqual([
      [3, 'allowed'],
      [1, 'expired'],
      [4, 'newest'],
    ]);
    expect([...placeDecisions({ messages, lastSeq: 5 }, decided).keys()]).toEqual([3, 1]);
  });
});
