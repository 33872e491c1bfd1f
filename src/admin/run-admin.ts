import { loadConfig } from '../config';
import { withDatabase } from './admin-database';
import { COMMANDS, type Command } from './commands';
import { describe } from './describe';
import type { Output } from './output';
import { UsageError } from './usage-error';

const CALLS = Object.entries(COMMANDS).map(([name, { takes, what }]) => {
  return `  ${[name, ...takes].join(' ').padEnd(28)} ${what}`;
});
const USAGE = `Usage: npm run admin -- COMMAND

${CALLS.join('\n')}

NAME is a username or an id. Reads the same environment as the service. On PostgreSQL it runs beside a running
service; on the embedded database the service has to be stopped first.`;

/** @returns the exit code: 0, 1 for a failure, 2 for a mistake in the call */
export async function runAdmin(argv: string[], output: Output): Promise<0 | 1 | 2> {
  const [name, ...args] = argv;
  if (argv.includes('--help')) {
    output.answer(USAGE);
    return 0;
  }
  if (name === undefined) {
    output.remark(USAGE);
    return 2;
  }
  try {
    const command = commandNamed(name, args);
    await withDatabase(loadConfig(), (app) => command.run(app, output, args));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      output.remark(`usage: ${error.message}\nSee: npm run admin -- --help`);
      return 2;
    }
    output.remark(`error: ${describe(error as Error)}`);
    return 1;
  }
}

/** @throws UsageError also where it is called with too little or too much */
function commandNamed(name: string, args: string[]): Command {
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`There is no command "${name}".`);
  const command = COMMANDS[name]!;
  const { takes } = command;
  if (args.length < takes.length) throw new UsageError(`${name} takes ${takes.join(' ')}.`);
  const isOpen = takes.at(-1)?.endsWith('...') ?? false;
  if (args.length > takes.length && !isOpen) {
    throw new UsageError(`"${args[takes.length]}" is one argument too many.`);
  }
  return command;
}
