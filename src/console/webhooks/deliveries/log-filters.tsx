import { EVENT_TYPES } from '../../../events';
import { SelectField } from '../../forms/fields';
import type { FormState } from '../../forms/form-state';
import { TimeField } from '../../forms/time-field';
import { DELIVERY_STATES } from './delivery-state';

/** The form's id: its button stands outside it. */
export const FILTERS_ID = 'filters';

const ANY = { value: '', text: 'Any' };
const asOptions = (values: readonly string[]) => [ANY, ...values.map((value) => ({ value, text: value }))];

interface LogFiltersProps {
  form: FormState;
  /** Of the whole log. */
  path: string;
}

export function LogFilters({ form, path }: LogFiltersProps) {
  return (
    <form id={FILTERS_ID} method="get" action={path} class="filters" role="search" aria-label="Filter the log">
      <SelectField form={form} name="state" label="State" options={asOptions(DELIVERY_STATES)} />
      <SelectField form={form} name="type" label="Event" options={asOptions(EVENT_TYPES)} />
      <TimeField form={form} name="since" label="Since" />
      <TimeField form={form} name="until" label="Until" />
    </form>
  );
}
