import { parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';
import { CommandInput } from './command-input.ts';
import { GLOBAL_OPTIONS, type CommandSpec, type OptionSpec } from './command-spec.ts';
import { formatSuggestion } from './suggest-name.ts';

/** A command and the words that named it, such as `sessions`, `list`. */
interface FoundCommand {
  command: CommandSpec;
  path: string[];
}

/**
 * Finds the command that the arguments name, also if options precede it.
 * @param isHelp whether a command with subcommands stands for itself, not for its default one
 */
export function findCommand(root: CommandSpec, argv: readonly string[], isHelp: boolean): FoundCommand {
  let command = root;
  const path: string[] = [];
  while (command.subcommands) {
    const options = [...GLOBAL_OPTIONS, ...(command.options ?? []), ...command.subcommands.flatMap(listOptions)];
    const { words, values } = readTokens(argv, options);
    const name = words[path.length];
    if (name === undefined && isHelp) break;
    const next = command.subcommands.find((subcommand) => subcommand.name === (name ?? command.defaultSubcommand));
    if (!next) {
      if (name === undefined) break;
      // The word may be the value of an option that is spelled wrong.
      for (const { name: option, rawName } of values)
        findOption(options, option, rawName, `See: ${['xapi', ...path, '--help'].join(' ')}`);
      throw new UsageError(
        `"${[...path, name].join(' ')}" is not a command.${formatSuggestion(
          name,
          command.subcommands.map((one) => one.name),
        )}`,
        `See: ${['xapi', ...path, '--help'].join(' ')}`,
      );
    }
    command = next;
    if (name !== undefined) path.push(name);
    else break;
  }
  return { command, path };
}

/** Parses the arguments of a command that {@link findCommand} has found. @throws UsageError */
export function parseInput(command: CommandSpec, path: readonly string[], argv: readonly string[]): CommandInput {
  const see = `See: ${['xapi', ...path, '--help'].join(' ')}`;
  const options = [...GLOBAL_OPTIONS, ...(command.options ?? [])];
  const { words, values, rest } = readTokens(argv, options);
  const found = new Map<string, (string | true)[]>();
  for (const { name, rawName, value } of values) {
    const option = findOption(options, name, rawName, see);
    found.set(name, [...(found.get(name) ?? []), readValue(option, value)]);
  }
  if (command.rest && rest.length === 0)
    throw new UsageError(`${command.rest.name} is missing: ${command.rest.description}, after --.`, see);
  // Without a rest, -- precedes arguments that begin with a dash.
  const all = command.rest ? words : [...words, ...rest];
  return new CommandInput(assignWords(command, all.slice(path.length), see), found, command.rest ? rest : []);
}

function findOption(options: readonly OptionSpec[], name: string, rawName: string, see: string): OptionSpec {
  const option = options.find((one) => one.name === name);
  if (option) return option;
  const names = options.map((one) => `--${one.name}`);
  throw new UsageError(`There is no option ${rawName}.${formatSuggestion(rawName, names)}`, see);
}

function assignWords(command: CommandSpec, words: readonly string[], see: string): Map<string, string> {
  const all = command.args ?? [];
  // Optional arguments get what the required ones leave, wherever they stand.
  let left = words.length - all.filter(({ isOptional }) => !isOptional).length;
  const specs = all.filter(({ isOptional }) => !isOptional || left-- > 0);
  const missing = specs[words.length];
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.description}.`, see);
  if (words.length > specs.length) {
    const hint = command.rest ? `Put the command after --, so that its options are its own. ${see}` : see;
    throw new UsageError(`There is an argument too many: "${words[specs.length]}".`, hint);
  }
  for (const [index, word] of words.entries()) {
    const { name, choices } = specs[index]!;
    if (choices && !choices.includes(word)) throw new UsageError(describeChoice(name, word, choices), see);
  }
  return new Map(words.map((word, index) => [specs[index]!.name, word]));
}

function readValue(option: OptionSpec, value: string | undefined): string | true {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`--${option.name} takes no value.`);
    return true;
  }
  if (value === undefined) throw new UsageError(`--${option.name} needs a value: --${option.name} ${option.value}`);
  if (option.choices && !option.choices.includes(value))
    throw new UsageError(describeChoice(`--${option.name}`, value, option.choices));
  return value;
}

function describeChoice(name: string, value: string, choices: readonly string[]): string {
  return `${name} is one of ${choices.join(', ')}, not "${value}".${formatSuggestion(value, choices)}`;
}

interface OptionValue {
  name: string;
  rawName: string;
  value: string | undefined;
}

function readTokens(argv: readonly string[], specs: readonly OptionSpec[]) {
  const options = Object.fromEntries(
    specs.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length;
  const words: string[] = [];
  const values: OptionValue[] = [];
  for (const token of tokens) {
    if (token.index >= end) break;
    if (token.kind === 'positional') words.push(token.value);
    else if (token.kind === 'option') values.push({ name: token.name, rawName: token.rawName, value: token.value });
  }
  return { words, values, rest: argv.slice(end + 1) };
}

function listOptions(command: CommandSpec): OptionSpec[] {
  return [...(command.options ?? []), ...(command.subcommands ?? []).flatMap(listOptions)];
}
