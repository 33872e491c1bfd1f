import type { SessionOption } from '@external-api/protocol/portable';
import type { MachineRecord } from '../content/records';
import { readLocalList } from '../lib/local-lists';
import { showInvisibleCharacters } from '../lib/visible-text';

/** Options that a session can begin with, by their categories. */
const CHOICES: Record<string, string> = { model: 'Model', thought_level: 'Effort' };

type Agent = MachineRecord['agents'][number];

interface MachineFieldProps {
  machines: readonly MachineRecord[];
  value: string;
  onChoose: (machineId: string) => void;
}

export function MachineField({ machines, value, onChoose }: MachineFieldProps) {
  return (
    <label>
      Machine
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {machines.map(({ id, name, state }) => (
          <option key={id} value={id}>
            {showInvisibleCharacters(state === 'online' ? name : `${name} (offline)`)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface AgentFieldsProps {
  machine: MachineRecord;
  agent: Agent | undefined;
  /** Options of the agent with their values, as far as they are known. */
  offered: readonly SessionOption[];
  onChoose: (agentName: string) => void;
}

/** Agent, mode, model and effort. */
export function AgentFields({ machine, agent, offered, onChoose }: AgentFieldsProps) {
  const choices = agent?.options.filter(({ category }) => category !== null && category in CHOICES) ?? [];
  const key = `${machine.id} ${agent?.name}`;
  return (
    <>
      <label>
        Agent
        <select value={agent?.name} onChange={(event) => onChoose(event.currentTarget.value)}>
          {machine.agents.map(({ name, title }) => (
            <option key={name} value={name}>
              {showInvisibleCharacters(title ?? name)}
            </option>
          ))}
        </select>
      </label>
      {choices.map(({ id, category }) => (
        <label key={`${key} ${id}`}>
          {CHOICES[category ?? '']}
          <OptionField name={`option:${id}`} values={offered.find((option) => option.id === id)?.values ?? []} />
        </label>
      ))}
      <label>
        Mode
        <select name="mode" key={key}>
          <option value="">Default</option>
          {agent?.modes.map((mode) => (
            <option key={mode}>{mode}</option>
          ))}
        </select>
      </label>
    </>
  );
}

/** A choice, or a text if nobody knows what the agent offers. */
function OptionField({ name, values }: { name: string; values: SessionOption['values'] }) {
  if (values.length === 0) {
    return <input name={name} maxLength={128} placeholder="The agent’s default" autocomplete="on" />;
  }
  return (
    <select name={name}>
      <option value="">The agent’s default</option>
      {values.map((each) => (
        <option key={each.value} value={each.value}>
          {showInvisibleCharacters(each.name)}
        </option>
      ))}
    </select>
  );
}

/** Folder, with those in which this browser has started sessions on the machine. */
export function FolderField({ accountId, machineId }: { accountId: string; machineId: string }) {
  const folders = readLocalList<string>(accountId, `folders:${machineId}`);
  return (
    <label>
      Folder
      <input name="cwd" list="recent-folders" maxLength={4096} placeholder="The machine’s default" autocomplete="off" />
      <datalist id="recent-folders">
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
    </label>
  );
}
