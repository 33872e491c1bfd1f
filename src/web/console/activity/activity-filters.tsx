import { ACTIVITY_OUTCOMES, ListActivityQueryDto, type ActivityOutcome } from '../../../modules/relay';
import { DateTimeField } from '../forms/date-time-field';
import { parseDateTimeField } from '../forms/date-time-value';
import { FormProblem, SelectField } from '../forms/fields';
import { createFormState, getFormText, toRejectedForm, type FormState } from '../forms/form-state';
import { TimePresets } from '../forms/time-presets';
import { parseFormDto } from '../forms/parse-form-dto';
import { getFormField } from '../html/read-page-form';
import { FilterField, TimeRangeQueryDto } from '../forms/time-range-query.dto';

/** Query of the page with the raw filters of the form, which are validated as a form. */
export class ActivityPageQueryDto extends TimeRangeQueryDto {
  @FilterField()
  callerId?: string;

  @FilterField()
  deviceId?: string;

  @FilterField()
  outcome?: string;
}

const FILTER_NAMES = ['callerId', 'deviceId', 'outcome', 'since', 'until'] as const;
const ACTIVITY_PATH = '/console/activity';

/** Returns the query, or the form with its errors if the filters are not valid. */
export async function readActivityFilters({ cursor, ...values }: ActivityPageQueryDto) {
  try {
    const query = await parseFormDto(ListActivityQueryDto, {
      callerId: getFormText(values, 'callerId'),
      deviceId: getFormText(values, 'deviceId'),
      outcome: getFormText(values, 'outcome'),
      since: parseDateTimeField(values, 'since'),
      until: parseDateTimeField(values, 'until'),
      cursor,
    });
    return { form: createFormState(values), query };
  } catch (error) {
    return { form: toRejectedForm(values, error), query: null };
  }
}

/** Returns whether any filter is set. */
export function isActivityFiltered({ values }: FormState): boolean {
  return FILTER_NAMES.some((name) => getFormField(values, name));
}

/** Returns the path of the first page with the active filters. */
export function buildActivityPath({ values }: FormState): string {
  const set = FILTER_NAMES.map((name) => [name, getFormField(values, name)]).filter(([, value]) => value);
  return set.length === 0 ? ACTIVITY_PATH : `${ACTIVITY_PATH}?${new URLSearchParams(set).toString()}`;
}

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
    <form method="get" action={ACTIVITY_PATH} role="search" aria-label="Filter the calls">
      <FormProblem form={form} />
      <div class="filters">
        <SelectField form={form} name="callerId" label="Caller" options={toOptions(form, 'callerId', names.callers)} />
        <SelectField form={form} name="deviceId" label="Device" options={toOptions(form, 'deviceId', names.devices)} />
        <SelectField form={form} name="outcome" label="Outcome" options={toOptions(form, 'outcome', outcomes)} />
        <DateTimeField form={form} name="since" label="Since" />
        <DateTimeField form={form} name="until" label="Until" />
      </div>
      <p class="acts">
        <button class="secondary">Filter</button>
        <TimePresets form={form} path={ACTIVITY_PATH} now={now} />
        {isActivityFiltered(form) && (
          <a class="aside" href={ACTIVITY_PATH}>
            Show all
          </a>
        )}
      </p>
    </form>
  );
}

/** The selected value is always an option, even if what it names was deleted. */
function toOptions(form: FormState, name: string, texts: ReadonlyMap<string, string>) {
  const selected = getFormField(form.values, name);
  const options = [...texts].map(([value, text]) => ({ value, text }));
  const missing = selected !== '' && !texts.has(selected) ? [{ value: selected, text: selected }] : [];
  return [{ value: '', text: 'Any' }, ...options, ...missing];
}
