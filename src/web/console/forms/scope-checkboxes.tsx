import { Badge } from '@external-api/pages';
import { canReachMachines, SCOPES, type Scope } from '../../../access/auth';
import { SCOPE_GROUPS } from './choice-groups';
import { CheckboxGrid, FieldNotes, getFieldAria } from './fields';
import { getFormList, type FormState } from './form-state';

const FIELD = 'scopes';

interface ScopeCheckboxesProps {
  form: FormState;
  label: string;
}

/** Checkboxes for scopes with their descriptions. Scopes that can run commands are marked. */
export function ScopeCheckboxes({ form, label }: ScopeCheckboxesProps) {
  const selected = getFormList(form.values, FIELD);
  return (
    <fieldset class="field" {...getFieldAria(form, FIELD, undefined)}>
      <legend>{label}</legend>
      <FieldNotes form={form} name={FIELD} />
      {SCOPE_GROUPS.map(({ heading, names }) => (
        <fieldset key={heading} class="group">
          <legend>{heading}</legend>
          <CheckboxGrid name={FIELD} options={names.map(toScopeOption)} selected={selected} />
        </fieldset>
      ))}
    </fieldset>
  );
}

function toScopeOption(value: Scope) {
  const { consent, caution } = SCOPES[value];
  const marked = (
    <>
      {consent} <Badge tone="bad">can run commands</Badge>
    </>
  );
  return { value, text: canReachMachines([value]) ? marked : consent, caution };
}
