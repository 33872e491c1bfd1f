/** Vertical axis of a panel. */
export interface Axis {
  /** Returns the position of a value: 0 at the bottom of the panel, 1 at its top. */
  toShare: (value: number) => number;
  ticks: number[];
}

/** Returns an axis from 0 to a round number of at least `most`, with about four steps. */
export function createLinearAxis(most: number): Axis {
  const step = roundStep(Math.max(most, 1e-9) / 4);
  const count = Math.max(1, Math.ceil(most / step));
  const top = step * count;
  return { toShare: (value) => value / top, ticks: Array.from({ length: count + 1 }, (_, i) => i * step) };
}

/** Returns an axis between the powers of ten around all values. Values of 0 and below are at the bottom. */
export function createLogAxis(least: number, most: number): Axis {
  const from = Math.floor(Math.log10(Math.max(least, 0.1)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(most)));
  return {
    toShare: (value) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from),
    ticks: Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)),
  };
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 2.5, 5, 10].find((round) => round >= step / power - 1e-9)!;
}
