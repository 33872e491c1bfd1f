import { cpus, totalmem } from 'node:os';
import type { BenchmarkResult } from './run-benchmark-row';

const TABLE_HEADER = ['figure', 'measured', 'peer', 'ratio', 'spread', 'goal', 'verdict'];

/** Formats a table of the results, and below it a line per side of each row that explains its values. */
export function formatResultTable(results: BenchmarkResult[]): string {
  const lines = [TABLE_HEADER, ...results.map(formatResultCells)];
  const widths = TABLE_HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const table = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
  return [...table, ...results.flatMap(formatDetails)].join('\n');
}

function formatDetails({ name, against, details }: BenchmarkResult): string[] {
  if (!details) return [];
  const format = (side: Record<string, number>) =>
    Object.entries(side).map(([figure, value]) => `${figure} ${formatThreeDigits(value)}`);
  const [measured, peer] = [format(details.measured), format(details.peer)];
  return [
    ...(measured.length > 0 ? [`${name}: ${measured.join('; ')}`] : []),
    ...(peer.length > 0 ? [`  ${against}: ${peer.join('; ')}`] : []),
  ];
}

function formatResultCells({ figure, unit, goal, error, ...result }: BenchmarkResult): string[] {
  if (error !== null) return [figure, '', '', '', '', goal, `failed: ${error.slice(0, 160)}`];
  const { measured, peer, ratio, spread, met } = result;
  const range = spread!.map((value) => value.toFixed(2)).join('–');
  const sides = [measured, peer].map((value) => `${formatThreeDigits(value!)} ${unit}`);
  return [figure, ...sides, ratio!.toFixed(2), range, goal, goal === '' ? '' : met ? 'met' : 'missed'];
}

/** Rounds to three significant digits. */
function formatThreeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Returns the results with a description of the machine. */
export function formatResultJson(results: BenchmarkResult[], rounds: number, startedAt: Date): string {
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
