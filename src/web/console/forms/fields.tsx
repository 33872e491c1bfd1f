import type { ComponentChildren } from 'preact';
import { getFormField } from '../html/read-page-form';
import type { FormState } from './form-state';

export interface FieldProps {
  form: FormState;
  /** Name of the form's field and of the DTO's field. */
  name: string;
  label: string;
  hint?: ComponentChildren;
}

interface TextFieldProps extends FieldProps {
  maxLength?: number;
  required?: boolean;
  /** Keyboard on touch devices. */
  inputMode?: 'url' | 'numeric';
  /** Renders a textarea with this many rows. */
  rows?: number;
  placeholder?: string;
}

/** Text field with its label, hint and error. */
export function TextField({ form, name, label, hint, rows, maxLength, ...input }: TextFieldProps) {
  const value = getFormField(form.values, name);
  const common = {
    id: name,
    name,
    maxlength: maxLength,
    autocomplete: 'off',
    ...getFieldAria(form, name, hint),
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {rows === undefined ? (
        <input {...common} {...input} value={value} />
      ) : (
        <textarea {...common} {...input} rows={rows}>
          {value}
        </textarea>
      )}
      <FieldNotes form={form} name={name} hint={hint} />
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  options: readonly { value: string; text: string }[];
}

export function SelectField({ form, name, label, hint, options }: SelectFieldProps) {
  const selected = getFormField(form.values, name);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} {...getFieldAria(form, name, hint)}>
        {options.map(({ value, text }) => (
          <option key={value} value={value} selected={value === selected}>
            {text}
          </option>
        ))}
      </select>
      <FieldNotes form={form} name={name} hint={hint} />
    </div>
  );
}

type InlineSelectProps = Pick<SelectFieldProps, 'name' | 'label' | 'options'>;

/** Selection in a confirmation, which continues its label. */
export function InlineSelect({ name, label, options }: InlineSelectProps) {
  return (
    <label>
      {`${label} `}
      <select name={name}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** One checkbox of a group. */
export interface CheckboxOption {
  value: string;
  text: ComponentChildren;
  caution?: string;
}

interface CheckboxGroupProps extends FieldProps {
  options: readonly CheckboxOption[];
  selected: readonly string[];
}

/** Group of checkboxes with one name. */
export function CheckboxGroup({ form, name, label, hint, options, selected }: CheckboxGroupProps) {
  return (
    <fieldset class="field" {...getFieldAria(form, name, hint)}>
      <legend>{label}</legend>
      <FieldNotes form={form} name={name} hint={hint} />
      <CheckboxGrid name={name} options={options} selected={selected} />
    </fieldset>
  );
}

export function CheckboxGrid({ name, options, selected }: Pick<CheckboxGroupProps, 'name' | 'options' | 'selected'>) {
  return (
    <div class="boxes">
      {options.map(({ value, text, caution }) => (
        <label key={value} class="box">
          <input type="checkbox" name={name} value={value} checked={selected.includes(value)} />
          <span>
            {text}
            {caution !== undefined && <small>{caution}</small>}
            <code class="scope">{value}</code>
          </span>
        </label>
      ))}
    </div>
  );
}

/** Error summary above the fields of a form. */
export function FormProblem({ form }: { form: FormState }) {
  const count = Object.keys(form.fieldErrors).length;
  if (form.problem === null && count === 0) return null;
  return (
    <p class="notice problem" role="alert">
      {form.problem ?? `Nothing was changed. Correct the ${count === 1 ? 'marked field' : `${count} marked fields`}.`}
    </p>
  );
}

export function FieldNotes({ form, name, hint }: Pick<FieldProps, 'form' | 'name' | 'hint'>) {
  const error = form.fieldErrors[name];
  return (
    <>
      {hint !== undefined && (
        <small class="hint" id={`${name}-hint`}>
          {hint}
        </small>
      )}
      {error !== undefined && (
        <small class="fault" id={`${name}-fault`}>
          {error}
        </small>
      )}
    </>
  );
}

export function getFieldAria(form: FormState, name: string, hint: unknown) {
  const hasError = form.fieldErrors[name] !== undefined;
  const notes = [hint !== undefined && `${name}-hint`, hasError && `${name}-fault`].filter(Boolean);
  return {
    'aria-describedby': notes.length > 0 ? notes.join(' ') : undefined,
    'aria-invalid': hasError ? ('true' as const) : undefined,
  };
}
