import { loadConfig } from '../config';
import { withDatabase } from './admin-database';
import { describe } from './describe';
import { invite } from './invite';
import type { Output } from './output';

const USAGE = `Usage: npm run admin -- COMMAND

  invite   print a one-time code that opens closed sign-up once; it is good for 7 days

Reads the same environment as the service. On PostgreSQL it runs beside a running service;
on the embedded database the service has to be stopped first.`;

const COMMANDS = { invite };

/** @returns the exit code: 0, 1 for a failure, 2 for a mistake in the call */
export async function runAdmin(argv: string[], output: Output): Promise<0 | 1 | 2> {
  const [name, ...rest] = argv;
  if (argv.includes('--help')) {
    output.answer(USAGE);
    return 0;
  }
  if (name === undefined) {
    output.remark(USAGE);
    return 2;
  }
  if (!Object.hasOwn(COMMANDS, name) || rest.length > 0) {
    const what =
      rest.length > 0 ? `"${rest[0]}" is one argument too many.` : `There is no command "${name}".`;
    output.remark(`usage: ${what}\nSee: npm run admin -- --help`);
    return 2;
  }
  try {
    const config = loadConfig();
    await withDatabase(config, (app) => COMMANDS[name as keyof typeof COMMANDS](app, output));
    return 0;
  } catch (error) {
    output.remark(`error: ${describe(error as Error)}`);
    return 1;
  }
}
