import { fieldOf } from '../html/read-form';
import { described, Notes, type FieldProps } from './fields';

/**
 * A moment, to the minute. It is said and sent in UTC; where `time-fields.js` runs, the person reads and types their own
 * time.
 */
export function TimeField({ form, name, label }: Omit<FieldProps, 'hint'>) {
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
        value={fieldOf(form.values, name)}
        {...described(form, name, hint)}
      />
      <Notes form={form} name={name} hint={hint} />
    </div>
  );
}
