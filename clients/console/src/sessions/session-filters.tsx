import type { ComponentChildren } from 'preact';
import { showInvisibleCharacters } from '../lib/visible-text';
import type { SessionFilter } from './session-collection';
import { SESSION_GROUPS, type SessionChoice, type SessionGroup } from './session-groups';

export interface ListChoice extends SessionChoice {
  filter: SessionFilter;
}

interface SessionFiltersProps {
  choice: ListChoice;
  machineNames: ReadonlyMap<string, string>;
  agents: readonly string[];
  onChoose: (choice: ListChoice) => void;
  children: ComponentChildren;
}

/** Reads what the address of the page chooses. */
export function readListChoice(query: string): ListChoice {
  const parameters = new URLSearchParams(query);
  const read = (name: string) => parameters.get(name) ?? '';
  const choice = { search: read('search'), machineId: read('machine'), agent: read('agent') };
  return { ...choice, ...parseState(read('state')) };
}

/** Returns the query that `readListChoice` reads. */
export function writeListChoice({ search, machineId, agent, filter, group }: ListChoice): string {
  const state = group || (filter === 'active' ? '' : filter);
  const members = { search, machine: machineId, agent, state };
  const query = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== '')).toString();
  return query && `?${query}`;
}

/** A state is one of the service, or a part of the active sessions. */
function parseState(state: string): Pick<ListChoice, 'filter' | 'group'> {
  if (state === 'ended' || state === 'all') return { filter: state, group: '' };
  return { filter: 'active', group: state in SESSION_GROUPS ? (state as SessionGroup) : '' };
}

/** Search over the titles, and filters by state, machine and agent. */
export function SessionFilters({ choice, machineNames, agents, onChoose, children }: SessionFiltersProps) {
  const { needsYou, running, idle } = SESSION_GROUPS;
  const states = { '': 'Active', needsYou, running, idle, ended: 'Ended', all: 'All' };
  const select = (label: string, value: string, options: Record<string, string>, change: (value: string) => object) => (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoose({ ...choice, ...change(currentTarget.value) })}>
        {Object.entries(options).map(([key, name]) => (
          <option key={key} value={key}>
            {showInvisibleCharacters(name)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={choice.search}
          placeholder="Title, agent or machine"
          onInput={(event) => onChoose({ ...choice, search: event.currentTarget.value })}
        />
      </label>
      {select('State', choice.group || (choice.filter === 'active' ? '' : choice.filter), states, parseState)}
      {select('Machine', choice.machineId, { '': 'All', ...Object.fromEntries(machineNames) }, (machineId) => ({
        machineId,
      }))}
      {select(
        'Agent',
        choice.agent,
        { '': 'All', ...Object.fromEntries(agents.map((name) => [name, name])) },
        (agent) => ({
          agent,
        }),
      )}
      {children}
    </form>
  );
}
