/** Whether npm run test:full runs this. */
export const IS_FULL_RUN = process.env.TEST_FULL === '1';

/**
 * Returns the size of a soak, in repetitions, rows or ms: `full` in `npm run test:full`, otherwise `reduced`, by
 * default a tenth.
 */
export function scaled(full: number, reduced = Math.ceil(full / 10)): number {
  return IS_FULL_RUN ? full : reduced;
}
