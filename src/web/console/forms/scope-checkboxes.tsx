import { canReachMachines, type Scope } from '../../../access/auth';
import { Badge } from '../components/badge';
import { SCOPE_LABELS } from '../components/scope-labels';
import { CheckboxGrid, FieldNotes, getFieldAria } from './fields';
import { getFormList, type FormState } from './form-state';

const FIELD = 'scopes';

/** Scopes that a form offers, by the resource that they open. Scopes that open nothing yet are not offered. */
export const SCOPE_GROUPS: readonly { name: string; scopes: readonly Scope[] }[] = [
  { name: 'Sessions', scopes: ['sessions:read', 'sessions:content', 'sessions:write', 'sessions:approve'] },
  { name: 'Machines', scopes: ['machines:read', 'machines:invoke'] },
  { name: 'Files', scopes: ['artifacts:read', 'artifacts:content'] },
  { name: 'Webhooks', scopes: ['webhooks:manage'] },
  { name: 'Account', scopes: ['profile:read', 'usage:read'] },
];

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
      {SCOPE_GROUPS.map(({ name, scopes }) => (
        <fieldset key={name} class="group">
          <legend>{name}</legend>
          <CheckboxGrid name={FIELD} options={scopes.map(toScopeOption)} selected={selected} />
        </fieldset>
      ))}
    </fieldset>
  );
}

function toScopeOption(value: Scope) {
  const { text, caution } = SCOPE_LABELS[value];
  const marked = (
    <>
      {text} <Badge tone="bad">can run commands</Badge>
    </>
  );
  return { value, text: canReachMachines([value]) ? marked : text, caution };
}
