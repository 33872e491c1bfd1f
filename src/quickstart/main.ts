import { readOptions, USAGE, UsageError, type Options } from './options';
import { Quickstart } from './quickstart';
import { Screen } from './screen';
import { ServiceFailedError } from './service-process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<number> {
  const options = optionsOrUsage();
  if (typeof options === 'number') return options;
  const screen = new Screen();
  const interruption = new AbortController();
  for (const name of SIGNALS) process.on(name, () => interruption.abort());
  // Whoever reads the output may stop reading.
  process.stdout.on('error', () => interruption.abort());
  screen.heading('External API quickstart');
  const quickstart = new Quickstart(options, screen, interruption.signal);
  try {
    await quickstart.run();
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return 130;
    tellFailure(screen, error as Error);
    return 1;
  }
}

function optionsOrUsage(): Options | number {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options.help) return options;
    console.log(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`usage: ${error.message}\nSee: npm run quickstart -- --help`);
    return 2;
  }
}

function tellFailure(screen: Screen, error: Error): void {
  console.error(`\n${screen.paint('red', error.message)}`);
  if (error instanceof ServiceFailedError) {
    for (const line of error.lastLines) console.error(`  ${line}`);
  }
}

void main().then((status) => process.exit(status));
