import { ApiError, type RequestViolation } from '../../../common/errors';
import { getFormField, type FormFields } from '../html/read-page-form';

/** A form's values and errors, as they are rendered. */
export interface FormState {
  values: FormFields;
  /** Messages by name of the DTO's field. */
  fieldErrors: Readonly<Record<string, string>>;
  /** Error that concerns no single field. */
  problem: string | null;
  /** HTTP status of the page that shows the form. */
  status: number;
}

/** @param values initial values of the fields */
export function createFormState(values: FormFields = {}): FormState {
  return { values, fieldErrors: {}, problem: null, status: 200 };
}

/**
 * Returns the form with the errors of a rejected submission.
 * @param statuses of errors that concern the form
 * @throws `error` itself if it is any other error
 */
export function toRejectedForm(values: FormFields, error: unknown, statuses = [400, 403, 409, 429, 503]): FormState {
  if (!(error instanceof ApiError) || !statuses.includes(error.status)) throw error;
  const violations = (error.extras.members?.errors ?? []) as RequestViolation[];
  const fieldErrors: Record<string, string> = {};
  for (const { path, message } of violations) {
    const [, field = ''] = path.split('/');
    fieldErrors[field] ??= toFieldMessage(path, message);
  }
  return { values, fieldErrors, problem: violations.length > 0 ? null : error.detail, status: error.status };
}

/** Returns the names and texts of the fields that are not empty. */
export function listFilledFields({ values }: FormState): string[][] {
  return Object.keys(values)
    .map((name) => [name, getFormField(values, name)])
    .filter(([, text]) => text);
}

/** Returns the values of all checked boxes with this name. */
export function getFormList(form: FormFields, name: string): string[] {
  const value = form[name];
  return value === undefined ? [] : [value].flat();
}

/** Returns the values of all checked boxes with this name; undefined if none is checked. */
export function getFormSelection(form: FormFields, name: string): string[] | undefined {
  const values = getFormList(form, name);
  return values.length > 0 ? values : undefined;
}

/** Returns the trimmed text; undefined if it is empty. */
export function getFormText(form: FormFields, name: string): string | undefined {
  return getFormField(form, name).trim() || undefined;
}

/** Returns a number, or the text if it is not a number, so that validation of the DTO rejects it. */
export function getFormNumber(form: FormFields, name: string): number | string | undefined {
  const text = getFormText(form, name);
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const MIN_ONE_ELEMENT_PATTERN = /^must contain at least 1 elements/;

/** Turns `/name must be a string.` into `Must be a string.`, since the message is shown beside its field. */
function toFieldMessage(path: string, message: string): string {
  const sentence = message
    .replace(`each value in ${path} `, 'each ')
    .replace(`${path} `, '')
    .replace(MIN_ONE_ELEMENT_PATTERN, 'choose at least one');
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
