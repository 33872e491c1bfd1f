import { join } from 'node:path';

/** The environment of a process whose wall clock is so many milliseconds ahead, or behind where negative. */
export function shiftedClock(ms: number): NodeJS.ProcessEnv {
  if (ms === 0) return {};
  return { NODE_OPTIONS: `--require=${join(__dirname, 'move-clock.cjs')}`, CLOCK_SHIFT_MS: String(ms) };
}
