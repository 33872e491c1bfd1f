import { measureWidth, padEnd, wrapText } from '../output/text-layout.ts';
import type { Terminal } from '../output/terminal.ts';
import { GLOBAL_OPTIONS, type ArgumentSpec, type CommandSpec, type OptionSpec } from './command-spec.ts';

const MAX_WIDTH = 100;
/** In a narrower terminal, descriptions are below their names. */
const MIN_COLUMNS_WIDTH = 60;

/** Writes the help of a command, or the overview. */
export function writeHelp(terminal: Terminal, command: CommandSpec, path: readonly string[]): void {
  const width = Math.min(terminal.width, MAX_WIDTH);
  const heading = (text: string) => terminal.writeLine(`\n${terminal.style('bold', text)}`);
  const list = (title: string, rows: [string, string][]) => {
    if (rows.length === 0) return;
    heading(title);
    terminal.writeLine(formatDefinitions(rows, width));
  };
  terminal.writeLine(wrapText(`${command.summary}.`, width));
  for (const paragraph of command.details ?? []) terminal.writeLine(`\n${wrapText(paragraph, width)}`);
  heading('Usage');
  terminal.writeLine(wrapText(formatUsage(command, path), width, '  '));
  for (const group of new Set(command.subcommands?.map((one) => one.group ?? 'Commands'))) {
    const members = command.subcommands!.filter((one) => (one.group ?? 'Commands') === group);
    list(
      group,
      members.map((one) => [
        path.length === 0 ? one.name : formatSynopsis(one, command.defaultSubcommand),
        one.summary,
      ]),
    );
  }
  const args = [...(command.args ?? []), ...(command.rest ? [command.rest] : [])];
  list(
    'Arguments',
    args.map(({ name, description }) => [name, description]),
  );
  list('Options', (command.options ?? []).map(formatOption));
  list('Options of all commands', GLOBAL_OPTIONS.map(formatOption));
  if (path.length === 0) list('Version', [['xapi --version', 'Print the version']]);
  if (command.examples) {
    heading('Examples');
    for (const example of command.examples) terminal.writeLine(wrapText(example, width, '  '));
  }
}

function formatUsage({ args = [], rest, subcommands }: CommandSpec, path: readonly string[]): string {
  const words = subcommands ? ['COMMAND'] : args.map(formatArgument);
  return ['xapi', ...path, ...words, '[options]', ...(rest ? [`-- ${rest.name}`] : [])].join(' ');
}

function formatSynopsis(command: CommandSpec, defaultSubcommand: string | undefined): string {
  const name = command.name === defaultSubcommand ? `[${command.name}]` : command.name;
  const args = (command.args ?? []).map(formatArgument);
  return [name, ...args, ...(command.rest ? [`-- ${command.rest.name}`] : [])].join(' ');
}

const formatArgument = ({ name, isOptional }: ArgumentSpec) => (isOptional ? `[${name}]` : name);

function formatOption({ name, short, value, description, choices, isRepeatable }: OptionSpec): [string, string] {
  const label = `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`;
  const more = [...(choices ? [choices.join(', ')] : []), ...(isRepeatable ? ['repeatable'] : [])];
  return [label, more.length > 0 ? `${description} (${more.join('; ')})` : description];
}

function formatDefinitions(rows: readonly [string, string][], width: number): string {
  if (width < MIN_COLUMNS_WIDTH)
    return rows.map(([name, text]) => `${wrapText(name, width, '  ')}\n${wrapText(text, width, '      ')}`).join('\n');
  const indent = Math.min(34, Math.max(...rows.map(([name]) => measureWidth(name))) + 4);
  return rows
    .map(([name, text]) => {
      const label = padEnd(`  ${name}`, indent);
      const wrapped = wrapText(text, width, ' '.repeat(indent));
      return measureWidth(label) > indent || label.trimEnd().length > indent - 2
        ? `${label.trimEnd()}\n${wrapped}`
        : label + wrapped.slice(indent);
    })
    .join('\n');
}
