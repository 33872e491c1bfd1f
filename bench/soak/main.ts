import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { BenchCleanup } from '../benchmark-row';
import { createNumberParser, runBenchProgram } from '../support/command-line';
import { requireFileDescriptors } from './file-descriptors';
import { writeFigures } from './figures-document';
import { drawSoakChart } from './soak-chart';
import { formatSoakReport } from './report';
import { describeMachine, type SoakResult } from './soak-result';
import { runSoak, type SoakOptions } from './run-soak';
import { checkSoakRun } from './soak-checks';

interface SoakProgramOptions extends SoakOptions {
  json?: string;
  svg?: string;
  doc?: string;
  from?: string;
}

const program = new Command('npm run soak --')
  .description('Holds the service at a share of its peak load. Exits with code 1 when a check fails.')
  .option(
    '--minutes <number>',
    'length of the run',
    createNumberParser({ min: 0.5, max: 600, allowsFractions: true }),
    10,
  )
  .option('--devices <number>', 'connected devices', createNumberParser({ min: 50, max: 50_000 }), 5_000)
  .option('--share <number>', 'load as a share of the measured peak', parseShare, 0.8)
  .option(
    '--step-seconds <number>',
    'length of each rate while it finds the peak',
    createNumberParser({ min: 5, max: 600 }),
    60,
  )
  .option('--from <file>', 'report an earlier run from its JSON file instead of measuring')
  .option('--json <file>', 'write the result to this file')
  .option('--svg <file>', 'draw the chart to this file')
  .option('--doc <file>', 'write the figures into this Markdown file, between its two marks')
  .helpOption('-h, --help', 'show this help')
  .showHelpAfterError('See: npm run soak -- --help')
  .exitOverride()
  .action(reportSoak);

async function reportSoak({ from, json, svg, doc, ...options }: SoakProgramOptions): Promise<void> {
  const result = from ? (JSON.parse(readFileSync(from, 'utf8')) as SoakResult) : await measureSoak(options);
  if (json) writeFileSync(json, `${JSON.stringify(result)}\n`);
  if (svg) writeFileSync(svg, drawSoakChart(result));
  if (doc) writeFigures(doc, formatSoakReport(result));
  console.log(formatSoakReport(result));
  if (!result.judgements.every(({ met }) => met)) process.exitCode = 1;
}

async function measureSoak(options: SoakOptions): Promise<SoakResult> {
  requireFileDescriptors(options.devices);
  const startedAt = new Date().toISOString();
  const benchCleanup = new BenchCleanup();
  try {
    const run = await benchCleanup.runOrClose(() => runSoak(benchCleanup, options));
    return {
      startedAt,
      soakMachine: describeMachine(),
      options,
      judgements: checkSoakRun(run, options.devices),
      run,
    };
  } finally {
    await benchCleanup.close();
  }
}

function parseShare(text: string): number {
  const share = Number(text);
  if (!(share > 0 && share <= 1)) throw new InvalidArgumentError('Use a number above 0, at most 1.');
  return share;
}

void runBenchProgram(program);
