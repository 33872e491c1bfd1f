import { Command } from 'commander';
import { RelayCallReader } from '../../modules/relay';
import { addAccountCommands } from './account-commands';
import { addAccountRequestCommands } from './account-request-commands';
import { addAppCommands } from './app-commands';
import { addCommand, runOnDatabase, type CommandContext } from './command-runner';
import { addDeliveryCommands } from './delivery-commands';
import { addMaintenanceCommands } from './maintenance-commands';
import { addTokenCommands } from './token-commands';

const DESCRIPTION =
  'Manages a service on its database: accounts, tokens, apps, deliveries, maintenance and secrets.\n\n' +
  'The commands read the same environment variables as the service. With PostgreSQL, the service may keep running. ' +
  'With the embedded database, stop it first.';

/** Builds the command line. It throws a CommanderError instead of exiting. */
export function createAdminProgram(): Command {
  const program = new Command('npm run admin --')
    .description(DESCRIPTION)
    .usage('<command>')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'Show the help of a command')
    .showHelpAfterError('See: npm run admin -- --help')
    .exitOverride();
  addAccountCommands(program);
  addAccountRequestCommands(program);
  addTokenCommands(program);
  addAppCommands(program);
  addDeliveryCommands(program);
  addCommand(program, 'call')
    .description('Print the outcome of a relayed call')
    .argument('<request-id>', 'the requestId of its response')
    .action(runOnDatabase(printRelayCall));
  addMaintenanceCommands(program);
  return program;
}

async function printRelayCall(context: CommandContext, requestId: string): Promise<void> {
  const relayCall = await context.get(RelayCallReader).findByRequestId(requestId);
  if (!relayCall) {
    throw new Error(
      `No relayed call with the request id "${requestId}" is stored. Others are only in the log, as requestId.`,
    );
  }
  context.writeJson({ ...relayCall, createdAt: relayCall.createdAt.getTime() });
}
