import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './account-commands';
import { addAppCommands } from './app-commands';
import { addArtifactCommands } from './artifact-commands';
import { CommandContext } from './command-context';
import { addDeviceCommands } from './device-commands';
import { addGrantCommands } from './grant-commands';
import { addMachineCommand } from './machine-command';
import { addSessionCommands } from './session-commands';
import type { Terminal } from './terminal';
import { addTokenCommands } from './token-commands';

/**
 * @param name how the user has started the program
 * @returns the exit code: 0 on success, 1 on failure, 2 on invalid usage
 */
export async function runDeviceCli(argv: string[], terminal: Terminal, name = 'npm run device --'): Promise<0 | 1 | 2> {
  try {
    await createDeviceProgram(terminal, name).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the help or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.writeNotice(`error: ${(error as Error).message}`);
    return 1;
  }
}

/** Builds the command line. It throws a CommanderError instead of exiting. */
function createDeviceProgram(terminal: Terminal, name: string): Command {
  const program = new Command(name)
    .description("Uses this computer as a device of an account: the owner's device or a machine.")
    .usage('<command> [options]')
    .option('--url <url>', "the service's address (default: the last one used, else http://localhost:3000)")
    .option('--public-url <url>', "the service's public URL, when it differs from --url")
    .option('--key-file <file>', 'default: ~/.config/external-api-device/account.json or machine.json')
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'show this help')
    // The synopsis of each command, with its arguments, is in its own help.
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => terminal.writeLine(text.trimEnd()),
      writeErr: (text) => terminal.writeNotice(text.trimEnd()),
    })
    .showHelpAfterError(`See: ${name} --help`)
    .exitOverride();
  const context = new CommandContext(terminal, program);
  program.commandsGroup('Account:');
  addAccountCommands(program, context);
  program.commandsGroup('Devices of the account:');
  addDeviceCommands(program, context);
  program.commandsGroup('Access of API callers:');
  addTokenCommands(program, context);
  addAppCommands(program, context);
  addGrantCommands(program, context);
  program.commandsGroup('Content:');
  addSessionCommands(program, context);
  addArtifactCommands(program, context);
  program.commandsGroup('This computer:');
  addMachineCommand(program, context);
  program.commandsGroup('Help:').helpCommand('help [command]', 'Show the help of a command');
  return program;
}
