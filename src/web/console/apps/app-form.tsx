import type { DeveloperAppDto } from '../../../modules/developer-apps';
import { PageHead } from '../components/page-head';
import { FormProblem, TextField } from '../forms/fields';
import { type FormState, getFormText } from '../forms/form-state';
import { Form } from '../html/form';
import { type FormFields, getFormField } from '../html/read-page-form';

const REDIRECT_URIS_HELP =
  'URLs that a browser may return to with a code. One per line, at most ten: https, or http on 127.0.0.1, [::1] or ' +
  'localhost.';

interface AppFormProps {
  form: FormState;
  heading: string;
  /** Link to the parent page. */
  parentLink: { path: string; text: string };
  action: string;
  submitLabel: string;
}

/** Form that registers or edits an app. */
export function AppForm({ form, heading, parentLink, action, submitLabel }: AppFormProps) {
  return (
    <>
      <PageHead heading={heading} parentLink={parentLink} />
      <Form action={action} class="card">
        <FormProblem form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="Users see it when the app asks for their approval."
          maxLength={100}
          required
        />
        <TextField
          form={form}
          name="description"
          label="Description"
          hint="Optional. Only you see it."
          maxLength={1000}
          rows={2}
        />
        <TextField
          form={form}
          name="homepageUrl"
          label="Homepage"
          hint="Optional. Users see its host."
          maxLength={2000}
          inputMode="url"
          placeholder="https://app.example"
        />
        <TextField
          form={form}
          name="redirectUris"
          label="Redirect URIs"
          hint={REDIRECT_URIS_HELP}
          inputMode="url"
          placeholder="https://app.example/callback"
          rows={4}
          required
        />
        <button>{submitLabel}</button>
      </Form>
    </>
  );
}

/**
 * Returns the fields of `CreateDeveloperAppDto`. The form has all fields of an app, so an empty field clears the value.
 */
export function toAppInput(form: FormFields): Record<string, unknown> {
  const uris = splitRedirectUris(getFormField(form, 'redirectUris'));
  return {
    name: getFormText(form, 'name'),
    description: getFormField(form, 'description').trim(),
    homepageUrl: getFormField(form, 'homepageUrl').trim(),
    redirectUris: uris.length > 0 ? uris : undefined,
  };
}

/** Returns the form's fields for an existing app. */
export function toAppFormFields(app: DeveloperAppDto): FormFields {
  return {
    name: app.name,
    description: app.description ?? '',
    homepageUrl: app.homepageUrl ?? '',
    redirectUris: app.redirectUris.join('\n'),
  };
}

function splitRedirectUris(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
