import { ACTIVITY_OUTCOMES, type ActivityOutcome } from '../../../modules/relay';
import { SelectField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { FilterForm } from '../forms/log-filters';
import { getFormField } from '../html/read-page-form';
import { QueryText } from '../forms/query-text';
import { TimeRangeQueryDto } from '../forms/time-range-query.dto';

/** Query of the page with the raw filters of the form, which are validated as a form. */
export class ActivityPageQueryDto extends TimeRangeQueryDto {
  @QueryText()
  callerId?: string;

  @QueryText()
  deviceId?: string;

  @QueryText()
  outcome?: string;
}

export const ACTIVITY_PATH = '/console/activity';

const OUTCOME_TEXTS: Record<ActivityOutcome, string> = {
  done: 'Done',
  failed: 'Not done',
  timed_out: 'Timed out',
  device_error: 'Device error',
  not_delivered: 'Not delivered',
  unknown: 'Unknown',
};

/** Names of the tokens and apps that may call, and of the devices, by id. */
export interface ActivityFilterNames {
  callers: ReadonlyMap<string, string>;
  devices: ReadonlyMap<string, string>;
}

interface ActivityFiltersProps {
  form: FormState;
  names: ActivityFilterNames;
  /** Unix ms. */
  now: number;
}

export function ActivityFilters({ form, names, now }: ActivityFiltersProps) {
  const outcomes = new Map(ACTIVITY_OUTCOMES.map((value) => [value, OUTCOME_TEXTS[value]]));
  return (
    <FilterForm form={form} path={ACTIVITY_PATH} now={now} label="Filter the calls">
      <SelectField form={form} name="callerId" label="Caller" options={toOptions(form, 'callerId', names.callers)} />
      <SelectField form={form} name="deviceId" label="Device" options={toOptions(form, 'deviceId', names.devices)} />
      <SelectField form={form} name="outcome" label="Outcome" options={toOptions(form, 'outcome', outcomes)} />
    </FilterForm>
  );
}

/** The selected value is always an option, even if what it names was deleted. */
function toOptions(form: FormState, name: string, texts: ReadonlyMap<string, string>) {
  const selected = getFormField(form.values, name);
  const options = [...texts].map(([value, text]) => ({ value, text }));
  const missing = selected !== '' && !texts.has(selected) ? [{ value: selected, text: selected }] : [];
  return [{ value: '', text: 'Any' }, ...options, ...missing];
}
