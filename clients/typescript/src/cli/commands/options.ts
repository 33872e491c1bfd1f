import type { SessionOption, SessionOptions } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../errors.ts';
import { findOptionValues } from '../option-values.ts';
import { resolveSessionId } from '../resolve-names.ts';

export const options: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const sessionId = await resolveSessionId(client, input.getArgument('SESSION'));
  const values = findOptionValues(input);
  const offer = values
    ? await client.sessions.changeOptions(sessionId, values)
    : await client.sessions.options(sessionId);
  const id = input.findArgument('OPTION');
  if (terminal.isJson) return terminal.writeJson(id === undefined ? offer : findOption(offer, id));
  if (id === undefined) writeOffer(context, offer);
  else writeValues(context, findOption(offer, id));
};

function findOption({ options: offered }: SessionOptions, id: string): SessionOption {
  const option = offered.find((each) => each.id === id);
  if (option) return option;
  const ids = offered.map((each) => each.id).join(', ') || 'none';
  throw new CliError(`The agent has no option ${id}.`, { code: 'not_found', hint: `Its options: ${ids}` });
}

function writeOffer({ terminal }: CommandContext, { options: offered, commands }: SessionOptions): void {
  if (offered.length === 0) terminal.writeNotice('The agent offers nothing to choose.');
  else
    terminal.writeTable(
      [{ title: 'OPTION' }, { title: 'VALUE' }, { title: 'CHOICES', priority: 1 }, { title: 'NAME', priority: 2 }],
      offered.map(({ id, value, values, name }) => [id, value ?? '-', String(values.length), terminal.show(name)]),
    );
  if (commands.length === 0) return;
  terminal.writeLine();
  terminal.writeTable(
    [{ title: 'COMMAND' }, { title: 'DESCRIPTION' }],
    commands.map(({ name, description }) => [`/${terminal.show(name)}`, terminal.show(description)]),
  );
}

function writeValues({ terminal }: CommandContext, { value, values }: SessionOption): void {
  terminal.writeTable(
    [{ title: 'VALUE' }, { title: 'NAME' }, { title: 'CHOSEN' }],
    values.map((each) => [each.value, terminal.show(each.name), each.value === value ? 'yes' : '']),
  );
}
