import type { Command, OptionSpec } from './command';
import { COMMANDS, COMMON_OPTIONS } from './commands';

export function overview(): string {
  const rows = COMMANDS.map((command): [string, string] => [callOf(command), command.summary]);
  return [
    'Usage: npm run device -- COMMAND [options]\n',
    columns(rows),
    '\nOptions of every command:\n',
    optionsText(COMMON_OPTIONS),
  ].join('\n');
}

export function helpOf(command: Command): string {
  const parts = [`Usage: npm run device -- ${callOf(command)} [options]\n`, `${command.summary}.\n`];
  return [...parts, optionsText({ ...command.options, ...COMMON_OPTIONS })].join('\n');
}

const callOf = ({ name, positionals }: Command): string => [name, ...positionals].join(' ');

function optionsText(options: Record<string, OptionSpec>): string {
  return columns(
    Object.entries(options).map(([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ''}`, help]),
  );
}

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
