import { CommanderError } from 'commander';
import { killAllProcessGroups } from '@external-api/device';
import { ProgressView } from './progress-view';
import { parseQuickstartOptions } from './quickstart-options';
import { QuickstartRunner } from './quickstart-runner';
import { ServiceFailedError } from './quickstart-service-process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @returns the exit code: 0 on success, 1 on failure, 2 on invalid usage, 130 after an interruption */
async function runQuickstart(argv: string[]): Promise<number> {
  const progressView = new ProgressView();
  const interruption = new AbortController();
  try {
    const options = parseQuickstartOptions(argv, process.env);
    for (const name of SIGNALS) process.on(name, () => interruption.abort());
    // The reader of the output may close the pipe.
    process.stdout.on('error', () => interruption.abort());
    progressView.writeHeading('External API quickstart');
    await new QuickstartRunner(options, progressView, interruption.signal).runDemo();
    return 0;
  } catch (error) {
    // Commander has already printed the help or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (interruption.signal.aborted) return 130;
    printFailure(progressView, error as Error);
    return 1;
  }
}

function printFailure(progressView: ProgressView, error: Error): void {
  console.error(`\n${progressView.formatText('red', error.message)}`);
  if (error instanceof ServiceFailedError) {
    for (const line of error.lastLines) console.error(`  ${line}`);
  }
}

process.on('exit', killAllProcessGroups);

void runQuickstart(process.argv.slice(2)).then((status) => process.exit(status));
