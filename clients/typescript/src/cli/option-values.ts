import type { OptionValues } from '../index.ts';
import type { CommandInput } from './command-line/command-input.ts';
import type { OptionSpec } from './command-line/command-spec.ts';
import { UsageError } from './errors.ts';

export const SET: OptionSpec = {
  name: 'set',
  value: 'OPTION=VALUE',
  description: 'Choose a value of an option of the agent, such as model=opus',
  isRepeatable: true,
};

/** Reads the values of `--set`. Returns undefined without any. */
export function findOptionValues(input: CommandInput): OptionValues | undefined {
  const pairs = input.listOption(SET.name).map((text): [string, string] => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) throw new UsageError(`--set takes an option and a value: model=opus`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
