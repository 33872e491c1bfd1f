import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { formatResultJson, formatResultTable } from './report';
import { benchmarkRows } from './rows';
import { runBenchmarkRow, type BenchmarkResult } from './run-benchmark-row';
import { createNumberParser, runBenchProgram } from './support/command-line';

interface BenchOptions {
  rounds: number;
  json?: string;
  check?: boolean;
}

const program = new Command('npm run bench --')
  .description('Measures the service against its peers.')
  .addArgument(
    new Argument('[row...]', 'rows to measure (default: all)').choices(benchmarkRows.map(({ name }) => name)),
  )
  .option('--rounds <number>', 'rounds per row', createNumberParser({ min: 1, max: 50 }), 7)
  .option('--json <file>', 'write the results to this file as well')
  .option('--check', 'exit with code 1 when a goal is missed')
  .helpOption('-h, --help', 'show this help')
  .showHelpAfterError('See: npm run bench -- --help')
  .exitOverride()
  .action(runBenchmarks);

async function runBenchmarks(names: string[], { rounds, json, check }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const results: BenchmarkResult[] = [];
  for (const row of benchmarkRows) {
    if (names.length > 0 && !names.includes(row.name)) continue;
    process.stderr.write(`${row.name} …\n`);
    results.push(await runBenchmarkRow(row, rounds));
  }
  console.log(formatResultTable(results));
  if (json) writeFileSync(json, formatResultJson(results, rounds, startedAt));
  if (check && !results.every((result) => result.met)) process.exitCode = 1;
}

void runBenchProgram(program);
