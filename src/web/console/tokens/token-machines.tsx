import type { MachineDto } from '../../../modules/machines';
import { CheckboxGroup } from '../forms/fields';
import { getFormList, type FormState } from '../forms/form-state';

const FIELD = 'machineIds';
const EXPLANATION =
  'Limits what the token runs, starts, sends, decides and stops, not what it reads. If you select none, it may act ' +
  'on all machines, also on those that you add later.';

/** A machine as its checkbox shows it. */
export type MachineChoice = Pick<MachineDto, 'id' | 'name'>;

/** Checkboxes for the machines that a token is limited to. An account without machines has no choice. */
export function MachineCheckboxes({ form, machines }: { form: FormState; machines: readonly MachineChoice[] }) {
  if (machines.length === 0) return null;
  return (
    <CheckboxGroup
      form={form}
      name={FIELD}
      label="Only these machines"
      hint={EXPLANATION}
      options={machines.map(({ id, name }) => ({ value: id, text: <bdi>{name}</bdi> }))}
      selected={getFormList(form.values, FIELD)}
    />
  );
}

interface TokenMachinesProps {
  machineIds: readonly string[] | null;
  /** Names of the machines that still exist, by id. */
  names: ReadonlyMap<string, string>;
}

/** Machines that a token is limited to. */
export function TokenMachines({ machineIds, names }: TokenMachinesProps) {
  if (machineIds === null) return <>All machines</>;
  return (
    <>
      {machineIds.map((id) => (
        <div key={id}>
          {names.has(id) ? (
            <a href={`/console/machines/${id}`}>
              <bdi>{names.get(id)}</bdi>
            </a>
          ) : (
            <span class="mono">{id}</span>
          )}
        </div>
      ))}
    </>
  );
}

/** States how many machines a token is limited to. Empty for all. */
export function MachineLimitNote({ machineIds }: { machineIds: readonly string[] | null }) {
  if (machineIds === null) return null;
  return <small>{`Only on ${machineIds.length} ${machineIds.length === 1 ? 'machine' : 'machines'}`}</small>;
}
