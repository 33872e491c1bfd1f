import { resolve } from 'node:path';
import { Command } from 'commander';
import { collectAgent, type NamedCommand } from '@external-api/device';

export interface QuickstartOptions {
  /** Stop after the relayed calls. */
  once: boolean;
  /** 0 chooses any free port. */
  port: number;
  folder: string;
  /** Agent of the machine; undefined: the test agent. */
  agent: NamedCommand | undefined;
}

const DESCRIPTION =
  'Starts the service on its embedded database, creates a demo account, pairs this computer as a machine, relays a ' +
  'message to an agent and a command through the HTTP API, and runs until you press Ctrl-C. Until then, a ' +
  'printed link opens the console, signed in to the demo account.';

const ENVIRONMENT_HELP = `
Environment:
  PORT        default: 3000; when it is in use, a free port is chosen
  DATA_DIR    default: ./data/quickstart; can be deleted while no quickstart is
              running`;

/** @throws CommanderError, after the help or the usage error has been printed */
export function parseQuickstartOptions(argv: string[], env: NodeJS.ProcessEnv): QuickstartOptions {
  const program = new Command('npm run quickstart --')
    .description(DESCRIPTION)
    .option('--once', 'stop after the relayed calls, with exit code 0 on success')
    .option(
      '--agent <command>',
      'coding agent that speaks ACP (default: a test agent without a model)',
      (text: string) => collectAgent(text),
    )
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', ENVIRONMENT_HELP)
    .showHelpAfterError('See: npm run quickstart -- --help')
    .exitOverride()
    .parse(argv, { from: 'user' });
  const port = env.PORT || '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    program.error(`error: PORT must be a whole number from 0 to 65535: ${port}`);
  const { once = false, agent } = program.opts<{ once?: boolean; agent?: NamedCommand[] }>();
  return { once, port: Number(port), folder: resolve(env.DATA_DIR || 'data/quickstart'), agent: agent?.[0] };
}
