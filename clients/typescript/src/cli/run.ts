import { useProxies } from '@external-api/forward-proxy/programs';
import { CommandContext } from './command-context.ts';
import { root } from './commands.ts';
import type { CommandSpec } from './command-line/command-spec.ts';
import { findCommand, parseInput } from './command-line/parse-command-line.ts';
import { describeError } from './describe-error.ts';
import { EXIT } from './errors.ts';
import { findLostOutput, Interruption, interrupts } from './interrupts.ts';
import { Terminal } from './output/terminal.ts';
import { requireUtf8Arguments } from './utf8-text.ts';

/** Runs the command line, and ends the process with the command's exit code. */
export async function run(argv: readonly string[], version: string): Promise<void> {
  const terminal = new Terminal();
  // What follows -- belongs to another program.
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  terminal.isJson = options.includes('--json');
  // Before the arguments are parsed, since the help has colours too.
  if (options.includes('--no-color')) terminal.disableColor();
  let command: CommandSpec = root;
  let context: CommandContext | undefined;
  const fail = (error: unknown) => {
    if (error instanceof Interruption) return interrupts.exitCode;
    const { exitCode, ...description } = describeError(error, findHost(context));
    const code = command.passesExitCode ? EXIT.ownFailure : exitCode;
    terminal.writeError({ ...description, exitCode: code });
    return code;
  };
  interrupts.install(fail);
  process.once('uncaughtException', (error) => process.exit(fail(error)));
  let exitCode: number;
  try {
    const isHelp = argv[0] === 'help' || options.some((option) => option === '--help' || option === '-h');
    const found = findCommand(root, argv[0] === 'help' ? argv.slice(1) : argv, isHelp);
    command = found.command;
    requireUtf8Arguments(argv);
    if (isHelp || !command.load) {
      const { writeHelp } = await import('./command-line/format-help.ts');
      writeHelp(terminal, command, found.path);
      exitCode = EXIT.done;
    } else {
      const input = parseInput(command, found.path, argv);
      context = new CommandContext(terminal, {
        host: input.findOption('host'),
        isVerbose: input.hasFlag('verbose'),
        retryTimeoutMs: input.findDurationMs('retry-for'),
        version,
      });
      await useProxies();
      exitCode = (await (await command.load())(context, input)) ?? EXIT.done;
    }
  } catch (error) {
    exitCode = fail(error);
  }
  // Idle connections would keep the process for a while.
  process.stdout.write('', (error) => {
    const lost = findLostOutput(error);
    process.exit(lost && exitCode === EXIT.done ? fail(lost) : exitCode);
  });
}

function findHost(context: CommandContext | undefined): string | undefined {
  try {
    return context?.knownHost;
  } catch {
    return undefined;
  }
}
