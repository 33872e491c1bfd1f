import type { Machine } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { resolveMachineId } from '../resolve-names.ts';

const DEFAULT_LIMIT = 30;

export const listMachines: CommandAction = async (context, input) => {
  const { terminal } = context;
  const limit = input.findWholeNumber('limit') ?? DEFAULT_LIMIT;
  const state = input.findOption('state') as Machine['state'] | undefined;
  const machines = await context
    .createClient()
    .machines.list({ state, limit: Math.min(limit, 200) })
    .toArray(limit);
  if (terminal.isJson) return terminal.writeJson(machines);
  if (machines.length === 0) return terminal.writeNotice('There are no machines.');
  const columns = [
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'AGENTS', priority: 1 },
    { title: 'SEEN', priority: 2 },
    { title: 'ID', priority: 3 },
  ];
  terminal.writeTable(
    columns,
    machines.map((machine) => [
      terminal.show(machine.name),
      styleState(context, machine.state),
      formatAgents(machine) || '-',
      formatSeen(context, machine),
      machine.id,
    ]),
  );
};

export const showMachine: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const machine = await client.machines.get(await resolveMachineId(client, input.getArgument('MACHINE')));
  if (terminal.isJson) return terminal.writeJson(machine);
  terminal.writeFields([
    ['Name', terminal.show(machine.name)],
    ['ID', machine.id],
    ['State', styleState(context, machine.state)],
    ['Seen', formatSeen(context, machine)],
    ['System', terminal.show([machine.platform, machine.arch].filter(Boolean).join(' ')) || '-'],
    ['Version', terminal.show(machine.appVersion ?? '-')],
    ['Agents', formatAgents(machine) || 'none'],
  ]);
};

const formatAgents = ({ agents }: Machine): string => agents.map(({ name }) => name).join(', ');

const formatSeen = ({ now }: CommandContext, { state, lastSeenAt }: Machine): string =>
  state === 'online' ? 'now' : formatRelativeTime(lastSeenAt, now);

const styleState = ({ terminal }: CommandContext, state: Machine['state']): string =>
  terminal.style(state === 'online' ? 'green' : 'dim', state);
