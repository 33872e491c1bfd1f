import type { ComponentChildren } from 'preact';
import { DateTimeField } from './date-time-field';
import { parseDateTimeField } from './date-time-value';
import { FormProblem } from './fields';
import { createFormState, getFormText, listFilledFields, toRejectedForm, type FormState } from './form-state';
import { parseFormDto } from './parse-form-dto';
import { TimePresets } from './time-presets';
import type { TimeRangeQueryDto } from './time-range-query.dto';

/** Returns the query of a log, or the form with its errors if the filters are not valid. */
export async function readFilters<Query extends object>(
  type: new () => Query,
  { cursor, ...values }: TimeRangeQueryDto,
) {
  try {
    const texts = Object.fromEntries(Object.keys(values).map((name) => [name, getFormText(values, name)]));
    const [since, until] = [parseDateTimeField(values, 'since'), parseDateTimeField(values, 'until')];
    const query = await parseFormDto(type, { ...texts, since, until, cursor });
    return { form: createFormState(values), query };
  } catch (error) {
    return { form: toRejectedForm(values, error), query: null };
  }
}

/** Returns whether any filter is set. */
export function isFiltered(form: FormState): boolean {
  return listFilledFields(form).length > 0;
}

/** Returns the path of the first page with the active filters. */
export function buildFilteredPath(path: string, form: FormState): string {
  return isFiltered(form) ? `${path}?${new URLSearchParams(listFilledFields(form)).toString()}` : path;
}

interface FilterActionsProps {
  form: FormState;
  /** Path of the unfiltered log. */
  path: string;
  /** Unix ms. */
  now: number;
  /** Id of the form if the button is outside of it. */
  formId?: string;
}

export function FilterActions({ form, path, now, formId }: FilterActionsProps) {
  return (
    <>
      <button form={formId} class="secondary">
        Filter
      </button>
      <TimePresets form={form} path={path} now={now} />
      {isFiltered(form) && (
        <a class="aside" href={path}>
          Show all
        </a>
      )}
    </>
  );
}

interface FilterFormProps extends FilterActionsProps {
  label: string;
  /** The fields before those of the time. */
  children?: ComponentChildren;
}

export function FilterForm({ label, children, ...actions }: FilterFormProps) {
  const { form, path } = actions;
  return (
    <form method="get" action={path} role="search" aria-label={label}>
      <FormProblem form={form} />
      <div class="filters">
        {children}
        <DateTimeField form={form} name="since" label="Since" />
        <DateTimeField form={form} name="until" label="Until" />
      </div>
      <p class="acts">
        <FilterActions {...actions} />
      </p>
    </form>
  );
}
