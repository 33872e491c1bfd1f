import type { Command } from 'commander';
import { MachineDevice } from '../machine-device';
import type { CommandContext } from './command-context';
import { runExclusively } from './exclusive-run';
import { writePairingNotice } from './machine-reporter';
import { requireText } from './option-parsers';
import { sanitizeLine } from './text-format';

interface LinkCommandOptions {
  /** The only account that may approve it. */
  account?: string;
  name?: string;
  platform?: string;
}

/** Adds `link`. */
export function addLinkCommand(program: Command, context: CommandContext): void {
  program
    .command('link')
    .description('Add this computer to an account as a machine, and wait for the approval')
    .option('--account <name>', 'the only account that may approve it (default: the one that does)', requireText)
    .option('--name <name>', "the machine's name (default: the computer's)")
    .option('--platform <name>', 'default: the operating system')
    .action((options: LinkCommandOptions) => linkMachine(context, options));
}

/** Serves no calls, so that a person sees which account has approved the machine before that account can use it. */
async function linkMachine(context: CommandContext, options: LinkCommandOptions): Promise<void> {
  const { terminal, isJsonOutput } = context;
  const store = context.createKeyStore('machine');
  const isInterrupted = await runExclusively(context, store.location, async ({ signal, lost }) => {
    const machine = await MachineDevice.open({
      ...options,
      ...(await context.findMachineAddress(store)),
      store,
      onEvent: (event) => {
        if (isJsonOutput) terminal.writeJson(event);
        else if (event.event === 'pairing') writePairingNotice(context, event, options.account);
        else if (event.event === 'waiting') terminal.writeNotice(sanitizeLine(event.reason));
      },
    });
    const isNew = !machine.isPaired;
    await Promise.race([isNew ? machine.pairWithAccount({ signal }) : machine.confirmAddress({ signal }), lost]);
    const { account = '', fingerprint, serviceUrl: service } = machine;
    const keyFile = store.location;
    if (isJsonOutput) return terminal.writeJson({ linked: true, isNew, service, account, fingerprint, keyFile });
    terminal.writeLine(
      isNew ? `This computer is now a machine of ${sanitizeLine(account)}.\n` : 'This computer is linked already.\n',
    );
    terminal.writeFields([
      ['Service', service],
      ['Account', account],
      ['Fingerprint', fingerprint],
      ['Key file', keyFile],
    ]);
    terminal.writeLine(`\nStart it here:          ${context.formatCommand('machine')}`);
    terminal.writeLine(`Start it at each login: ${context.formatCommand('service install')}`);
  });
  if (isInterrupted) throw new Error('Not linked. The next start continues with the same code while it is valid.');
}
