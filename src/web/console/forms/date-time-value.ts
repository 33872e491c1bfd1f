import { invalidBodyError } from '../../../common/errors';
import type { FormFields } from '../html/read-page-form';
import { getFormText } from './form-state';

const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
const MINUTE_PRECISION_LENGTH = 'YYYY-MM-DDTHH:MM'.length;

/**
 * Parses a date-time field (date-time-field.tsx) to Unix ms; undefined if it is empty.
 * @throws ApiError 400 for an invalid date and time
 */
export function parseDateTimeField(form: FormFields, name: string): number | undefined {
  const text = getFormText(form, name);
  if (text === undefined) return undefined;
  const at = DATE_TIME_PATTERN.test(text) ? Date.parse(`${text}Z`) : NaN;
  if (!Number.isNaN(at)) return at;
  throw invalidBodyError(`/${name}`, 'invalid_format', 'must be a date and a time, such as 2026-01-31T17:30');
}

/** Formats a time as the field's value. @param at Unix ms */
export function formatDateTimeField(at: number): string {
  return new Date(at).toISOString().slice(0, MINUTE_PRECISION_LENGTH);
}
