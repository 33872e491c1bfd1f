import type { Figures } from './figures';

export function table({ all }: Figures): string {
  const lines = [...all].map(([key, { value, unit }]) => [key, String(value), unit]);
  const width = Math.max(...lines.map(([key]) => key!.length));
  const digits = Math.max(...lines.map(([, value]) => value!.length));
  return lines.map(([key, value, unit]) => `${key!.padEnd(width)}  ${value!.padStart(digits)} ${unit}`).join('\n');
}

/** The form of docs/figures/constants.json, which the simulation and docs/scaling.md read. */
export function asJson({ all }: Figures, measuredAt: Date, machine: object): string {
  const constants = Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ measuredAt: measuredAt.toISOString(), machine, constants }, null, 2)}\n`;
}
