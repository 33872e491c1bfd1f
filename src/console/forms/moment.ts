import { invalidRequest } from '../../common/errors';
import type { FormFields } from '../html/read-form';
import { textOf } from './form-state';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
const TO_THE_MINUTE = 'YYYY-MM-DDTHH:MM'.length;

/**
 * A field of time (time-field.tsx) as Unix ms; undefined where nothing was typed.
 * @throws ApiError 400 for what is no date and time
 */
export function momentOf(form: FormFields, name: string): number | undefined {
  const text = textOf(form, name);
  if (text === undefined) return undefined;
  const at = MOMENT.test(text) ? Date.parse(`${text}Z`) : NaN;
  if (!Number.isNaN(at)) return at;
  const message = `/${name} must be a date and a time, such as 2026-01-31T17:30.`;
  throw invalidRequest([{ in: 'body', path: `/${name}`, code: 'invalid_format', message }]);
}

/** As the field holds it. @param at Unix ms */
export function toField(at: number): string {
  return new Date(at).toISOString().slice(0, TO_THE_MINUTE);
}
