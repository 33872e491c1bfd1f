import { parseDurationMs } from './option-parsers';

it.each([
  ['45s', 45_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['7d', 604_800_000],
])('%s is %i ms', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

it.each(['', '7', 'd', '0d', '-1d', '1.5h', '7 d', '7D', '1w', '1h30m', '9999999d'])('%j is none', (text) => {
  expect(() => parseDurationMs(text)).toThrow('Use a duration such as 30m, 12h or 7d.');
});
