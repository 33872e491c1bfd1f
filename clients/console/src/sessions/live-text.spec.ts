import type { DeltaRecord } from '../content/records';
import { addDelta, type LiveText } from './live-text';

const delta = (n: number, localId = 'req_1:1') => ({ sessionId: 'ses_1', turnId: 'turn_1', localId, n, content: '' });
const addAll = (parts: [n: number, text: string][]) =>
  parts.reduce<LiveText[]>((texts, [n, text]) => addDelta(texts, delta(n), text), []);

describe('text that an agent is writing', () => {
  it('is made of its parts, each of them once', () => {
    expect(
      addAll([
        [0, 'one '],
        [1, 'two '],
        [1, 'two '],
        [0, 'one '],
        [2, 'three'],
      ]),
    ).toEqual([
      { localId: 'req_1:1', turnId: 'turn_1', kind: 'message', text: 'one two three', lastN: 2, isIncomplete: false },
    ]);
  });

  it.each([
    ['its beginning', [[3, 'later']]],
    [
      'a part',
      [
        [0, 'one '],
        [2, 'three'],
      ],
    ],
  ] as [string, [number, string][]][])('is incomplete without %s', (_, parts) => {
    expect(addAll(parts)).toMatchObject([{ isIncomplete: true }]);
  });

  it('does not mix two messages', () => {
    const texts = addDelta(addAll([[0, 'one']]), delta(0, 'req_1:2'), 'two');
    expect(texts.map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

describe('what an agent does beside its messages', () => {
  const delta = (localId: string, kind: string | undefined, n: number) =>
    ({ localId, turnId: 'turn_1', kind, n }) as DeltaRecord;
  const show = (texts: LiveText[]) => texts.map(({ kind, text, isIncomplete }) => [kind, text, isIncomplete]);

  it('replaces a tool call and a plan with a newer state, from whichever one the page was opened', () => {
    let texts = addDelta([], delta('m-1', 'tool', 4), '{"a":1}');
    texts = addDelta(texts, delta('m-1', 'tool', 3), '{"older":1}');
    texts = addDelta(texts, delta('m-1', 'tool', 9), '{"a":2}');
    texts = addDelta(texts, delta('plan', 'plan', 0), '{}');
    expect(show(texts)).toEqual([
      ['tool', '{"a":2}', false],
      ['plan', '{}', false],
    ]);
  });

  it('shows a thought until the agent does something else', () => {
    let texts = addDelta([], delta('t-1', 'thought', 0), 'Hm');
    texts = addDelta(texts, delta('t-1', 'thought', 1), 'm');
    texts = addDelta(texts, delta('plan', 'plan', 0), '{}');
    expect(show(texts)).toEqual([
      ['thought', 'Hmm', false],
      ['plan', '{}', false],
    ]);
    texts = addDelta(texts, delta('m-1', undefined, 0), 'Hello');
    expect(show(texts)).toEqual([
      ['plan', '{}', false],
      ['message', 'Hello', false],
    ]);
  });

  it('ignores kinds that it does not know', () => {
    expect(addDelta([], delta('x', 'music', 0), 'la')).toEqual([]);
  });
});
