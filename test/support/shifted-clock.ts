import { join } from 'node:path';

/** Returns the environment of a process whose wall clock is ahead by this many ms, or behind if negative. */
export function createShiftedClockEnvironment(ms: number): NodeJS.ProcessEnv {
  if (ms === 0) return {};
  return { NODE_OPTIONS: `--require=${join(__dirname, 'move-clock.cjs')}`, CLOCK_SHIFT_MS: String(ms) };
}
