import { ApiError, type RequestFault } from '../../common/errors';
import { fieldOf, type FormFields } from '../html/read-form';

/** A form as it is shown: what the person typed, and what was wrong with it. */
export interface FormState {
  values: FormFields;
  /** By name of the DTO's field. */
  faults: Readonly<Record<string, string>>;
  /** What is wrong with none of the fields. */
  problem: string | null;
  /** HTTP status of the page that shows it. */
  status: number;
}

/** @param values what the fields begin with */
export function freshForm(values: FormFields = {}): FormState {
  return { values, faults: {}, problem: null, status: 200 };
}

/**
 * The form again, with what the service said of it.
 * @param statuses of refusals that are about what was typed
 * @throws `error` itself where it is not
 */
export function refusedForm(values: FormFields, error: unknown, statuses = [400, 403, 409, 429, 503]): FormState {
  if (!(error instanceof ApiError) || !statuses.includes(error.status)) throw error;
  const list = (error.extras.members?.errors ?? []) as RequestFault[];
  const faults: Record<string, string> = {};
  for (const { path, message } of list) {
    const [, field = ''] = path.split('/');
    faults[field] ??= inWords(path, message);
  }
  return { values, faults, problem: list.length > 0 ? null : error.detail, status: error.status };
}

/** All that was chosen of several boxes with one name. */
export function listOf(form: FormFields, name: string): string[] {
  const value = form[name];
  return value === undefined ? [] : [value].flat();
}

/** Undefined where nothing was typed. */
export function textOf(form: FormFields, name: string): string | undefined {
  return fieldOf(form, name).trim() || undefined;
}

/** A number where it is one, and what was typed where it is none, for the DTO to refuse. */
export function numberOf(form: FormFields, name: string): number | string | undefined {
  const text = textOf(form, name);
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const AT_LEAST_ONE = /^must contain at least 1 elements/;

/** `/name must be a string.` stands beside the field, whose name need not be said: `Must be a string.` */
function inWords(path: string, message: string): string {
  const words = message
    .replace(`each value in ${path} `, 'each ')
    .replace(`${path} `, '')
    .replace(/^is required/, 'is needed')
    .replace(AT_LEAST_ONE, 'choose at least one');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
