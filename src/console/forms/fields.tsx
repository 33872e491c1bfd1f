import type { ComponentChildren } from 'preact';
import { fieldOf } from '../html/read-form';
import type { FormState } from './form-state';

export interface FieldProps {
  form: FormState;
  /** Of the form's field, and of the DTO's. */
  name: string;
  label: string;
  hint?: ComponentChildren;
}

interface TextFieldProps extends FieldProps {
  maxLength?: number;
  required?: boolean;
  /** Which keys a phone offers. */
  inputMode?: 'url' | 'numeric';
  /** More than one line. */
  rows?: number;
  placeholder?: string;
}

/** A field with its label, its hint and what is wrong with it. */
export function TextField({ form, name, label, hint, rows, maxLength, ...input }: TextFieldProps) {
  const value = fieldOf(form.values, name);
  const common = {
    id: name,
    name,
    maxlength: maxLength,
    autocomplete: 'off',
    ...described(form, name, hint),
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
      <Notes form={form} name={name} hint={hint} />
    </div>
  );
}

interface ChoiceProps extends FieldProps {
  options: readonly { value: string; text: string }[];
}

export function SelectField({ form, name, label, hint, options }: ChoiceProps) {
  const chosen = fieldOf(form.values, name);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} {...described(form, name, hint)}>
        {options.map(({ value, text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <Notes form={form} name={name} hint={hint} />
    </div>
  );
}

/** One of several things to choose. */
export interface Option {
  value: string;
  text: ComponentChildren;
  mind?: string;
}

interface BoxesProps extends FieldProps {
  options: readonly Option[];
  chosen: readonly string[];
}

/** Any number of several, each a box that carries its value. */
export function Boxes({ form, name, label, hint, options, chosen }: BoxesProps) {
  return (
    <fieldset class="field" {...described(form, name, hint)}>
      <legend>{label}</legend>
      <Notes form={form} name={name} hint={hint} />
      <BoxGrid name={name} options={options} chosen={chosen} />
    </fieldset>
  );
}

export function BoxGrid({ name, options, chosen }: Pick<BoxesProps, 'name' | 'options' | 'chosen'>) {
  return (
    <div class="boxes">
      {options.map(({ value, text, mind }) => (
        <label key={value} class="box">
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
          <span>
            {text}
            {mind !== undefined && <small>{mind}</small>}
            <code class="scope">{value}</code>
          </span>
        </label>
      ))}
    </div>
  );
}

/** What is wrong with the whole, above its fields. */
export function FormProblem({ form }: { form: FormState }) {
  const count = Object.keys(form.faults).length;
  if (form.problem === null && count === 0) return null;
  return (
    <p class="notice problem" role="alert">
      {form.problem ?? `Nothing was changed: ${count === 1 ? 'one field needs' : `${count} fields need`} another look.`}
    </p>
  );
}

export function Notes({ form, name, hint }: Pick<FieldProps, 'form' | 'name' | 'hint'>) {
  const fault = form.faults[name];
  return (
    <>
      {hint !== undefined && (
        <small class="hint" id={`${name}-hint`}>
          {hint}
        </small>
      )}
      {fault !== undefined && (
        <small class="fault" id={`${name}-fault`}>
          {fault}
        </small>
      )}
    </>
  );
}

export function described(form: FormState, name: string, hint: unknown) {
  const fault = form.faults[name] !== undefined;
  const notes = [hint !== undefined && `${name}-hint`, fault && `${name}-fault`].filter(Boolean);
  return {
    'aria-describedby': notes.length > 0 ? notes.join(' ') : undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
  };
}
