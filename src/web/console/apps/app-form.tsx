import { Fragment } from 'preact';
import { isAppScope } from '../../../access/auth';
import type { DeveloperAppDto } from '../../../modules/developer-apps';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { FormProblem, TextField } from '../forms/fields';
import { type FormState, getFormText } from '../forms/form-state';
import { SCOPE_GROUPS } from '../forms/choice-groups';
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
  /** Explains how sign-ins will start, for an app that has no page with it yet. */
  authorizationUrl?: string;
}

/** Form that registers or edits an app. */
export function AppForm({ form, heading, parentLink, action, submitLabel, authorizationUrl }: AppFormProps) {
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
          hint="Optional. Users see its host if their browser returns to the same host."
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
        {authorizationUrl !== undefined && <SignInNotes authorizationUrl={authorizationUrl} />}
        <button>{submitLabel}</button>
      </Form>
    </>
  );
}

const UNAVAILABLE_SCOPES = SCOPE_GROUPS.flatMap(({ names }) => names).filter((scope) => !isAppScope(scope));

/** The scopes that an app can't request, and the URL that it sends users to. */
function SignInNotes({ authorizationUrl }: { authorizationUrl: string }) {
  return (
    <>
      <p>
        {'Users decide on the scopes that the app requests when they sign in. No app can get '}
        {UNAVAILABLE_SCOPES.map((scope, index) => (
          <Fragment key={scope}>
            {index > 0 && ' or '}
            <code>{scope}</code>
          </Fragment>
        ))}
        . Only your own <a href="/console/tokens">tokens</a> can have them.
      </p>
      <p>The app sends users to this URL, with its client ID and a PKCE challenge:</p>
      <Copyable label="Authorization URL" text={authorizationUrl} />
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
