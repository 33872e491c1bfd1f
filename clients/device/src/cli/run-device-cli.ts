import { Command, CommanderError } from 'commander';
import { DeviceRejectedError, DeviceReplacedError } from '../client-errors';
import { EnrollmentError } from '../enrollment';
import { KeyFileInUseError } from '../key-file-lock';
import { LAUNCHD_VARIABLE } from '../service-manager/launchd-agent';
import { addAccountCommands } from './account-commands';
import { addAppCommands } from './app-commands';
import { addArtifactCommands } from './artifact-commands';
import { CommandContext } from './command-context';
import { addDeviceCommands } from './device-commands';
import { addGrantCommands } from './grant-commands';
import { addLinkCommand } from './link-command';
import { addMachineCommand } from './machine-command';
import { addServiceCommands, addStatusCommand } from './service-commands';
import { addSessionCommands } from './session-commands';
import type { Terminal } from './terminal';
import { addTokenCommands } from './token-commands';

type ExitCode = 0 | 1 | 2 | 3 | 4;

/**
 * @param name how the user has started the program
 * @returns the exit code: 0 on success, 1 on failure, 2 on invalid usage or for a key file that is in use, 3 when
 *   another process with the same keys has replaced this machine, 4 when the service has refused this device for good
 */
export async function runDeviceCli(argv: string[], terminal: Terminal, name = 'npm run device --'): Promise<ExitCode> {
  try {
    await createDeviceProgram(terminal, name).parseAsync(joinServiceOptions(argv), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the help or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.writeNotice(`error: ${(error as Error).message}`);
    const exitCode = findExitCode(error);
    // launchd restarts an agent after each failure.
    return exitCode > 2 && process.env[LAUNCHD_VARIABLE] ? 0 : exitCode;
  }
}

function findExitCode(error: unknown): ExitCode {
  if (error instanceof KeyFileInUseError) return 2;
  if (error instanceof DeviceReplacedError) return 3;
  return error instanceof DeviceRejectedError || error instanceof EnrollmentError ? 4 : 1;
}

/** Options of the machine may follow `service install` directly, or after `--`. */
function joinServiceOptions(argv: string[]): string[] {
  const index = argv.indexOf('install');
  const separator = argv.indexOf('--', index);
  const isInstall = index > 0 && argv[index - 1] === 'service' && separator > 0;
  return isInstall ? argv.toSpliced(separator, 1) : argv;
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
  addLinkCommand(program, context);
  addMachineCommand(program, context);
  addStatusCommand(program, context);
  addServiceCommands(program, context);
  program.commandsGroup('Help:').helpCommand('help [command]', 'Show the help of a command');
  return program;
}
