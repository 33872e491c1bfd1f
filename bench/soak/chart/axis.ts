/** Where values go in a panel, and which of them are written beside it. */
export interface Axis {
  /** 0 at the panel's foot, 1 at its head. */
  shareOf: (value: number) => number;
  ticks: number[];
}

/** From 0 to a round number that is no less than `most`, in about four steps. */
export function linearAxis(most: number): Axis {
  const step = roundStep(Math.max(most, 1e-9) / 4);
  const count = Math.max(1, Math.ceil(most / step));
  const top = step * count;
  return { shareOf: (value) => value / top, ticks: Array.from({ length: count + 1 }, (_, i) => i * step) };
}

/** Over the powers of ten that hold all values; what is not above 0 lies at its foot. */
export function logAxis(least: number, most: number): Axis {
  const from = Math.floor(Math.log10(Math.max(least, 0.1)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(most)));
  return {
    shareOf: (value) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from),
    ticks: Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)),
  };
}

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 2.5, 5, 10].find((round) => round >= step / power - 1e-9)!;
}
