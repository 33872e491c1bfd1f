import type { Scope } from '../../auth';
import { SCOPE_WORDS } from '../parts/scope-words';
import { Boxes } from './fields';
import { listOf, type FormState } from './form-state';

interface ScopeBoxesProps {
  form: FormState;
  label: string;
  scopes: readonly Scope[];
}

/** Scopes in plain words, each a box that carries the scope as its value. */
export function ScopeBoxes({ form, label, scopes }: ScopeBoxesProps) {
  const options = scopes.map((value) => {
    const { may, mind } = SCOPE_WORDS[value];
    return { value, text: may, mind };
  });
  return <Boxes form={form} name="scopes" label={label} options={options} chosen={listOf(form.values, 'scopes')} />;
}
