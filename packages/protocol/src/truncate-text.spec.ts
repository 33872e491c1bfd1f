import { decodeTruncated, shortenText, truncateText } from './truncate-text';

const TEXT = 'a😀b€';

it.each([
  [0, ''],
  [1, 'a'],
  [2, 'a'],
  [3, 'a😀'],
  [4, 'a😀b'],
  [5, TEXT],
  [6, TEXT],
])('keeps the whole characters in the first %i units', (length, expected) => {
  expect(truncateText(TEXT, length)).toBe(expected);
});

it('ends a shortened text in an ellipsis, within the length', () => {
  expect([3, 4, 5].map((length) => shortenText(TEXT, length))).toEqual(['a…', 'a😀…', TEXT]);
});

it.each([
  [1, 'a'],
  [2, 'a'],
  [4, 'a'],
  [5, 'a😀'],
  [6, 'a😀b'],
  [8, 'a😀b'],
  [9, TEXT],
])('decodes the whole characters in the first %i bytes', (length, expected) => {
  expect(decodeTruncated(Buffer.from(TEXT), length)).toBe(expected);
});

it('shows bytes that are no UTF-8, also at the end of what is whole', () => {
  expect(decodeTruncated(Buffer.from([0xff, 0x61, 0xe2, 0x82]), 4)).toBe('\ufffda\ufffd');
});
