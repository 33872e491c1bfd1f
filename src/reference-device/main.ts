import { runCli } from './cli/run-cli';
import { Terminal } from './cli/terminal';
import { killAllProcessGroups } from './exec/process-group';

process.on('exit', killAllProcessGroups);
// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', () => process.exit(0));

void runCli(process.argv.slice(2), new Terminal()).then((code) => process.exit(code));
