import type { Scope } from '../../../access/auth';
import { SCOPE_LABELS } from '../components/scope-labels';
import { CheckboxGroup } from './fields';
import { getFormList, type FormState } from './form-state';

interface ScopeCheckboxesProps {
  form: FormState;
  label: string;
  scopes: readonly Scope[];
}

/** Checkboxes for scopes with their descriptions. */
export function ScopeCheckboxes({ form, label, scopes }: ScopeCheckboxesProps) {
  const options = scopes.map((value) => {
    const { text, caution } = SCOPE_LABELS[value];
    return { value, text, caution };
  });
  return (
    <CheckboxGroup
      form={form}
      name="scopes"
      label={label}
      options={options}
      selected={getFormList(form.values, 'scopes')}
    />
  );
}
