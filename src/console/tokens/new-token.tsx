import type { Scope } from '../../auth';
import { ScopeBoxes } from '../forms/scope-boxes';
import { FormProblem, SelectField, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { Form } from '../html/form';
import { PageHead } from '../parts/page-head';

const EXPIRY = [
  { value: '7', text: 'In 7 days' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
  { value: '', text: 'Never' },
];

export function NewToken({ form, scopes }: { form: FormState; scopes: readonly Scope[] }) {
  return (
    <>
      <PageHead heading="New token" up={{ path: '/console/tokens', text: 'Tokens' }} />
      <Form action="/console/tokens" class="card">
        <FormProblem form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="What it is for. Only you see it."
          maxLength={100}
          required
        />
        <SelectField
          form={form}
          name="expiresInDays"
          label="Expires"
          hint="You can be told a week before, by a webhook."
          options={EXPIRY}
        />
        <ScopeBoxes form={form} label="It may" scopes={scopes} />
        <button>Create token</button>
      </Form>
    </>
  );
}
