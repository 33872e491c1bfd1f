import { useProxies } from '@external-api/forward-proxy';
import { runDeviceCli } from './cli/run-device-cli';
import { Terminal } from './cli/terminal';
import { killAllProcessGroups } from './exec/process-group';

const terminal = new Terminal();
process.on('exit', killAllProcessGroups);
process.stdout.on('error', (error: Error) => terminal.handleLostOutput(error));
process.stderr.on('error', () => undefined);

// `npx xapi-device` sets the title.
const name = process.title === 'xapi-device' ? process.title : undefined;
void useProxies()
  .then(() => runDeviceCli(process.argv.slice(2), terminal, name))
  .then((code) =>
    // A file reports the failure of its writes here first.
    process.stdout.write('', (error) => {
      if (error) terminal.handleLostOutput(error);
      process.exit(code);
    }),
  );
