import { EVENT_TYPES } from '../../../events';
import { FormProblem, SelectField } from '../../forms/fields';
import type { FormState } from '../../forms/form-state';
import { TimeField } from '../../forms/time-field';
import { DELIVERY_STATES } from './delivery-state';

const ANY = { value: '', text: 'Any' };
const asOptions = (values: readonly string[]) => [ANY, ...values.map((value) => ({ value, text: value }))];

interface LogFiltersProps {
  form: FormState;
  /** Of the whole log. */
  path: string;
  isFiltered: boolean;
}

export function LogFilters({ form, path, isFiltered }: LogFiltersProps) {
  return (
    <form method="get" action={path} class="filters" role="search" aria-label="Filter the log">
      <FormProblem form={form} />
      <SelectField form={form} name="state" label="State" options={asOptions(DELIVERY_STATES)} />
      <SelectField form={form} name="type" label="Event" options={asOptions(EVENT_TYPES)} />
      <TimeField form={form} name="since" label="Since" />
      <TimeField form={form} name="until" label="Until" />
      <div class="actions">
        <button class="secondary">Filter</button>
        {isFiltered && <a href={path}>Show all</a>}
      </div>
    </form>
  );
}
