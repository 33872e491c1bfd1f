import { parseArgs } from 'node:util';
import { Call, UsageError, type Command, type OptionSpec } from './command';
import { COMMANDS, COMMON_OPTIONS } from './commands';
import { helpOf, overview } from './help';
import type { Terminal } from './terminal';

/** @returns the exit code: 0, 1 for a failure, 2 for a mistake in the call */
export async function runCli(argv: string[], terminal: Terminal): Promise<0 | 1 | 2> {
  try {
    const command = commandOf(argv);
    if (!command) {
      if (argv.length > 0 && argv[0] !== 'help' && !argv.includes('--help'))
        throw new UsageError(`There is no command "${argv.slice(0, 2).join(' ')}".`);
      terminal.line(overview());
      return argv.length > 0 ? 0 : 2;
    }
    const { values, positionals } = parse(command, argv.slice(wordsOf(command).length));
    if (values.help === true) terminal.line(helpOf(command));
    else await command.run(new Call(terminal, values, checked(command, positionals)));
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError;
    terminal.note(`${usage ? 'usage' : 'error'}: ${(error as Error).message}`);
    if (usage) terminal.note('See: npm run device -- --help');
    return usage ? 2 : 1;
  }
}

const wordsOf = ({ name }: Command): string[] => name.split(' ');

function commandOf(argv: string[]): Command | undefined {
  return COMMANDS.find((command) => wordsOf(command).every((word, index) => argv[index] === word));
}

function parse(command: Command, args: string[]) {
  const specs: [string, OptionSpec][] = Object.entries({ ...command.options, ...COMMON_OPTIONS });
  const options = Object.fromEntries(
    specs.map(([name, { value }]) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '', { cause: error });
  }
}

function checked(command: Command, given: string[]): string[] {
  const missing = command.positionals[given.length];
  if (missing) throw new UsageError(`${missing} is missing.`);
  const surplus = given[command.positionals.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many.`);
  return given;
}
