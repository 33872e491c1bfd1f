import type { CommandContext } from '../command-context.ts';
import type { CommandInput } from './command-input.ts';

/** Option of a command. Without `value`, it is a flag. */
export interface OptionSpec {
  name: string;
  short?: string;
  /** Placeholder of the value in the help, such as `DURATION`. */
  value?: string;
  description: string;
  isRepeatable?: boolean;
  /** The allowed values. */
  choices?: readonly string[];
}

export interface ArgumentSpec {
  /** Placeholder in the help, such as `SESSION`. */
  name: string;
  description: string;
  isOptional?: boolean;
  choices?: readonly string[];
}

/** Runs a command. Returns its exit code; nothing is 0. */
export type CommandAction = (context: CommandContext, input: CommandInput) => Promise<number | void>;

export interface CommandSpec {
  name: string;
  summary: string;
  /** Paragraphs of the help, after the summary. */
  details?: string[];
  args?: ArgumentSpec[];
  /** Placeholder of what follows `--`, for a command that runs another program. */
  rest?: ArgumentSpec;
  options?: OptionSpec[];
  examples?: string[];
  subcommands?: CommandSpec[];
  /** Name of the subcommand that runs without one. */
  defaultSubcommand?: string;
  /** Heading of the overview that lists the command. */
  group?: string;
  /** Whether failures of the program itself exit with 125, because the others are those of a remote command. */
  passesExitCode?: boolean;
  /** Loads the command's module, so that other commands start without it. */
  load?: () => Promise<CommandAction>;
}

export const GLOBAL_OPTIONS: OptionSpec[] = [
  { name: 'host', value: 'URL', description: 'Address of the service. Default: $XAPI_HOST, or that of the last login' },
  { name: 'json', description: 'Print JSON: one value, or one line per event' },
  { name: 'no-color', description: 'Print without colours, like NO_COLOR=1' },
  {
    name: 'retry-for',
    value: 'DURATION',
    description: 'How long to repeat refused calls. Default: 90s, or 5s while no device is online',
  },
  { name: 'verbose', description: 'Print each HTTP request to standard error, without credentials and bodies' },
  { name: 'help', short: 'h', description: 'Show help' },
];
