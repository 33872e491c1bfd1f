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
    ).toEqual([{ localId: 'req_1:1', turnId: 'turn_1', text: 'one two three', lastN: 2, isIncomplete: false }]);
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
