import { FormProblem, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { Form } from '../html/form';
import { PageHead } from '../parts/page-head';

interface AppFormProps {
  form: FormState;
  heading: string;
  /** The page that this leads back to. */
  up: { path: string; text: string };
  action: string;
  verb: string;
}

/** What an app is, to register it and to change it. */
export function AppForm({ form, heading, up, action, verb }: AppFormProps) {
  return (
    <>
      <PageHead heading={heading} up={up} />
      <Form action={action} class="card">
        <FormProblem form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="People read it when they are asked to let the app in."
          maxLength={100}
          required
        />
        <TextField
          form={form}
          name="description"
          label="Description"
          hint="May stay empty. Only you see it."
          maxLength={1000}
          rows={2}
        />
        <TextField
          form={form}
          name="homepageUrl"
          label="Homepage"
          hint="May stay empty. People see its host."
          maxLength={2000}
          inputMode="url"
          placeholder="https://app.example"
        />
        <TextField
          form={form}
          name="redirectUris"
          label="Redirect URIs"
          hint="Where browsers may come back to with a code: one on each line, at most ten. https, or http on 127.0.0.1, [::1] or localhost."
          inputMode="url"
          placeholder="https://app.example/callback"
          rows={4}
          required
        />
        <button>{verb}</button>
      </Form>
    </>
  );
}
