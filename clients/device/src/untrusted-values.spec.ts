import { isIdentifier, isInteger, isJsonObject, isKeyText, isTime } from './untrusted-values';

it.each([
  ['an identifier', isIdentifier, ['req_1', 'a', '~'.repeat(128)], ['', 'a b', 'a\n', 'ä', 'a'.repeat(129), 1, null]],
  ['a time', isTime, [0, 1_700_000_000_000], [-1, 0.5, NaN, Infinity, 8_640_000_000_000_001, '0', null]],
  ['a JSON object', isJsonObject, [{}], [[], null, undefined, 'a', 1]],
  ['the text of a key', isKeyText, ['A_-9'.repeat(10) + 'abc'], ['', 'a'.repeat(42), 'a'.repeat(44), '+'.repeat(43)]],
])('recognizes %s', (_, isValid: (value: unknown) => boolean, valid: unknown[], invalid: unknown[]) => {
  expect(valid.filter((value) => !isValid(value))).toEqual([]);
  expect(invalid.filter((value) => isValid(value))).toEqual([]);
});

it('recognizes an integer within its limits', () => {
  expect([1, 3].every((value) => isInteger(value, 1, 3))).toBe(true);
  expect([0, 4, 1.5, '2', NaN, 2n, null].some((value) => isInteger(value, 1, 3))).toBe(false);
  expect(isInteger(2 ** 53, 0)).toBe(false);
});
