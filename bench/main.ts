import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, Command } from 'commander';
import type { BenchmarkRow } from './benchmark-row';
import { formatResultJson, formatResultTable } from './report';
import { benchmarkRows } from './rows';
import { runBenchmarkRow, type BenchmarkResult } from './run-benchmark-row';
import { createNumberParser, runBenchProgram } from './support/command-line';

interface BenchOptions {
  rounds: number;
  json?: string;
  check?: boolean;
  against?: string;
}

const program = new Command('npm run bench --')
  .description('Measures the service against its peers.')
  .addArgument(
    new Argument('[row...]', 'rows to measure (default: all)').choices(benchmarkRows.map(({ name }) => name)),
  )
  .option('--rounds <number>', 'rounds per row', createNumberParser({ min: 1, max: 50 }), 7)
  .option('--json <file>', 'write the results to this file as well')
  .option('--against <folder>', 'compare with another built checkout of the service instead of the peers')
  .option('--check', 'exit with code 1 when a goal is missed')
  .helpOption('-h, --help', 'show this help')
  .showHelpAfterError('See: npm run bench -- --help')
  .exitOverride()
  .action(runBenchmarks);

async function runBenchmarks(names: string[], { rounds, json, check, against }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const results: BenchmarkResult[] = [];
  for (const row of selectRows(names, against)) {
    process.stderr.write(`${row.name} …\n`);
    results.push(await runBenchmarkRow(row, rounds));
  }
  console.log(formatResultTable(results));
  if (json) writeFileSync(json, formatResultJson(results, rounds, startedAt));
  if (check && !results.every((result) => result.met)) process.exitCode = 1;
}

/** @throws Error if a named row can't be compared with another checkout */
function selectRows(names: string[], against?: string): BenchmarkRow[] {
  const rows = benchmarkRows.filter(({ name }) => names.length === 0 || names.includes(name));
  if (against === undefined) return rows;
  const comparable = rows.filter((row) => row.openCheckoutComparison);
  if (names.length > comparable.length) {
    const possible = benchmarkRows.filter((row) => row.openCheckoutComparison).map(({ name }) => name);
    throw new Error(`--against is possible for these rows only: ${possible.join(', ')}`);
  }
  return comparable.map((row) => ({
    ...row,
    against,
    ratioGoal: null,
    openComparison: () => row.openCheckoutComparison!(resolve(against)),
  }));
}

void runBenchProgram(program);
