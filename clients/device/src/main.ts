import { useProxies } from '@external-api/forward-proxy';
import { runDeviceCli } from './cli/run-device-cli';
import { Terminal } from './cli/terminal';
import { killAllProcessGroups } from './exec/process-group';

process.on('exit', killAllProcessGroups);
// The reader of the output may close the pipe, as `head` does.
process.stdout.on('error', () => process.exit(0));

// `npx xapi-device` sets the title.
const name = process.title === 'xapi-device' ? process.title : undefined;
void useProxies()
  .then(() => runDeviceCli(process.argv.slice(2), new Terminal(), name))
  .then((code) => process.exit(code));
