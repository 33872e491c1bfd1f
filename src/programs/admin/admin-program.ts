import { Command } from 'commander';
import { RelayCallReader } from '../../modules/relay';
import { SecretReencryptionService } from '../../modules/webhooks';
import { addAccountCommands } from './account-commands';
import { addAccountRequestCommands } from './account-request-commands';
import { addAppCommands } from './app-commands';
import { addCommand, addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';
import { addDeliveryCommands } from './delivery-commands';
import { addMigrateCommand } from './migration-commands';
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
  addRecordedCommand(program, 'reseal')
    .description('Re-encrypt webhook signing secrets with the first APP_SECRET, so that older ones can be removed')
    .action(runOnDatabase(reencryptSigningSecrets));
  addMigrateCommand(program);
  return program;
}

/** Webhooks are re-encrypted one by one, before the record: one transaction would lock all of them. */
async function reencryptSigningSecrets(context: CommandContext): Promise<void> {
  const { reencryptedCount: resealed, unreadableIds: lost } = await context
    .get(SecretReencryptionService)
    .reencryptSecrets();
  await context.recordActs([{ act: 'signing_secrets.reencrypted', accountId: null, targetId: null }]);
  context.writeJson({ resealed, lost });
  if (lost.length > 0) {
    throw new Error(
      'None of the configured APP_SECRETs decrypts the secrets of these webhooks. Add the missing one or rotate them.',
    );
  }
  context.writeRemark('All signing secrets are encrypted with the first APP_SECRET.');
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
