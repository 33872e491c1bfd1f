import { CommandInput } from './command-input.ts';

const read = (value: string) => new CommandInput(new Map(), new Map([['x', [value]]]), []);

describe('the value of an option', () => {
  it.each(['1', '30', '1000000'])('is the whole number %s', (value) => {
    expect(read(value).findWholeNumber('x')).toBe(Number(value));
  });

  it.each(['0', '-1', '1.5', '1000001', '1e3', '', 'many'])('is no whole number from 1 to 1000000: %j', (value) => {
    expect(() => read(value).findWholeNumber('x')).toThrow('--x takes a whole number from 1 to 1000000.');
  });

  it.each([
    ['45s', 45_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('is the duration %s', (value, ms) => {
    expect(read(value).findDurationMs('x')).toBe(ms);
  });

  it.each(['0s', '5', 's', '-5s', '1.5h', '5w'])('is no duration: %j', (value) => {
    expect(() => read(value).findDurationMs('x')).toThrow('--x takes a duration such as 45s, 30m or 2h.');
  });
});
