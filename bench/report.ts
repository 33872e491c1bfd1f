import { cpus, totalmem } from 'node:os';
import type { Result } from './run-row';

const HEAD = ['figure', 'measured', 'peer', 'ratio', 'spread', 'goal', 'verdict'];

export function table(results: Result[]): string {
  const lines = [HEAD, ...results.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ figure, unit, goal, error, ...result }: Result): string[] {
  if (error !== null) return [figure, '', '', '', '', goal, `failed: ${error.slice(0, 160)}`];
  const { measured, peer, ratio, spread, met } = result;
  const range = spread!.map((value) => value.toFixed(2)).join('–');
  const sides = [measured, peer].map((value) => `${round(value!)} ${unit}`);
  return [figure, ...sides, ratio!.toFixed(2), range, goal, met ? 'met' : 'missed'];
}

/** Three figures that count. */
function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** What was measured, and on what. */
export function asJson(results: Result[], rounds: number, startedAt: Date): string {
  const [processor] = cpus();
  const machine = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: processor?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
  };
  return `${JSON.stringify({ startedAt: startedAt.toISOString(), rounds, machine, results }, null, 2)}\n`;
}
