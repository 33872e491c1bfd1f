import type { WebhookConfig } from '../../../core/config';
import type { WebhookDto } from '../../../modules/webhooks';
import { Copyable } from '../components/copyable';
import { OneTimeSecret } from '../components/one-time-secret';
import { PageHead } from '../components/page-head';
import { CheckboxGrid, FieldNotes, FormProblem, TextField, getFieldAria } from '../forms/fields';
import { type FormState, getFormList } from '../forms/form-state';
import { Form } from '../html/form';
import { EVENTS } from '../../../core/events';
import { EVENT_GROUPS } from '../forms/choice-groups';

interface WebhookFormProps {
  form: FormState;
  urlRules: WebhookConfig;
  heading: string;
  /** Link to the parent page. */
  parentLink: { path: string; text: string };
  action: string;
  submitLabel: string;
}

/** Form that creates or edits a webhook. */
export function WebhookForm({ form, urlRules, heading, parentLink, action, submitLabel }: WebhookFormProps) {
  return (
    <>
      <PageHead heading={heading} parentLink={parentLink} />
      <Form action={action} class="card">
        <FormProblem form={form} />
        <TextField
          form={form}
          name="url"
          label="URL"
          hint={`Receives events by POST. ${describeUrlRules(urlRules)}`}
          placeholder={urlRules.allowLoopback ? 'http://localhost:4401/hooks' : 'https://example.com/hooks'}
          inputMode="url"
          maxLength={2048}
          required
        />
        <TextField
          form={form}
          name="description"
          label="Description"
          hint="Optional. Describes its purpose."
          maxLength={500}
        />
        <EventCheckboxes form={form} />
        <button>{submitLabel}</button>
      </Form>
    </>
  );
}

function describeUrlRules({ allowHttp, allowCidrs, allowLoopback }: WebhookConfig): string {
  if (allowLoopback)
    return 'On this computer, http works. Other URLs must use https and be reachable from the internet.';
  const protocol = allowHttp ? 'It may use http or https' : 'It must use https';
  if (allowCidrs.length > 0) return `${protocol}, and be reachable from the internet or from networks of the operator.`;
  return `${protocol} and be reachable from the internet.`;
}

const EVENTS_FIELD = 'events';
const ALL_EVENTS_OPTION = {
  value: '*',
  text: 'All events',
  caution: 'Includes event types added in the future.',
};

/** Checkboxes for event types. */
export function EventCheckboxes({ form }: { form: FormState }) {
  const selected = getFormList(form.values, EVENTS_FIELD);
  return (
    <fieldset class="field events" {...getFieldAria(form, EVENTS_FIELD, undefined)}>
      <legend>Events to send</legend>
      <FieldNotes form={form} name={EVENTS_FIELD} />
      <CheckboxGrid name={EVENTS_FIELD} options={[ALL_EVENTS_OPTION]} selected={selected} />
      {EVENT_GROUPS.map(({ heading, names }) => (
        <fieldset key={heading} class="group">
          <legend>{heading}</legend>
          <CheckboxGrid
            name={EVENTS_FIELD}
            options={names.map((value) => ({ value, text: EVENTS[value].label }))}
            selected={selected}
          />
        </fieldset>
      ))}
    </fieldset>
  );
}

const VERIFY_EXAMPLE = `import { Webhook } from 'standardwebhooks';

const event = new Webhook(process.env.SIGNING_SECRET).verify(body, headers);`;

interface WebhookCreatedPageProps {
  heading: string;
  webhook: WebhookDto;
  secret: string;
}

export function WebhookCreatedPage({ heading, webhook, secret }: WebhookCreatedPageProps) {
  return (
    <OneTimeSecret
      heading={heading}
      label="Signing secret"
      secret={secret}
      nextLink={{ path: `/console/webhooks/${webhook.id}`, text: 'I’ve saved it' }}
    >
      <h2>Use it</h2>
      <p>
        The receiver at <strong class="host">{webhook.url}</strong> uses it to verify that a request is genuine.{' '}
        <a href="/docs/webhooks">How to receive webhooks</a>
      </p>
      <Copyable isBlock label="Verify a signature" text={VERIFY_EXAMPLE} />
    </OneTimeSecret>
  );
}
