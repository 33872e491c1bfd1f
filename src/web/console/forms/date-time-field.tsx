import { getFormField } from '../html/read-page-form';
import { getFieldAria, FieldNotes, type FieldProps } from './fields';

/** Date and time field with minute precision. The form uses UTC; `time-fields.js` shows and reads local time. */
export function DateTimeField({ form, name, label }: Omit<FieldProps, 'hint'>) {
  const hint = 'In UTC';
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="datetime-local"
        name={name}
        autocomplete="off"
        data-utc
        value={getFormField(form.values, name)}
        {...getFieldAria(form, name, hint)}
      />
      <FieldNotes form={form} name={name} hint={hint} />
    </div>
  );
}
