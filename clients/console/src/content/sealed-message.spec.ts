import { findFileProblem } from './sealed-message';

const find = (...sizes: number[]) => findFileProblem(sizes.map((size) => ({ size })));

it('takes eight files and 700 KiB, and no more', () => {
  expect([find(), find(...Array<number>(8).fill(1)), find(716_799, 1)]).toEqual(['', '', '']);
  expect(find(...Array<number>(9).fill(1))).toBe('At most 8 files can be sent with a message.');
  expect(find(716_800, 1)).toBe('The files are larger than 700 KiB together.');
});
