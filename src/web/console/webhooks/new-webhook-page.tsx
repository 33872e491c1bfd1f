import type { WebhookConfig } from '../../../core/config';
import type { WebhookDto, WebhookFormat } from '../../../modules/webhooks';
import { Copyable } from '../components/copyable';
import { OneTimeSecret } from '../components/one-time-secret';
import { PageHead } from '../components/page-head';
import { CheckboxGrid, FieldNotes, FormProblem, SelectField, TextField, getFieldAria } from '../forms/fields';
import { type FormState, getFormList } from '../forms/form-state';
import { Form } from '../html/form';
import { EVENTS } from '../../../core/events';
import { EVENT_GROUPS } from '../forms/choice-groups';
import { getFormField } from '../html/read-page-form';
import { REMOVE_HEADERS_FIELD } from './webhook-input';

interface WebhookFormProps {
  form: FormState;
  urlRules: WebhookConfig;
  heading: string;
  /** Link to the parent page. */
  parentLink: { path: string; text: string };
  action: string;
  submitLabel: string;
  /** Names of the headers that the webhook has. */
  headerNames?: readonly string[];
}

/** Form that creates or edits a webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { form, urlRules, heading, parentLink, action, submitLabel, headerNames = [] } = props;
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
        <SelectField
          form={form}
          name="format"
          label="Format"
          hint="Slack and ntfy get one line without content and a link to the console."
          options={Object.entries(FORMAT_LABELS).map(([value, text]) => ({ value, text }))}
        />
        <HeaderFields form={form} headerNames={headerNames} />
        <button>{submitLabel}</button>
      </Form>
    </>
  );
}

export const FORMAT_LABELS: Record<WebhookFormat, string> = {
  standard: 'Standard Webhooks: the event as JSON',
  slack: 'Slack: incoming webhook',
  ntfy: 'ntfy: push notifications of a topic',
};

const HEADERS_HELP =
  'Optional. One per line, for example a credential for the receiver. They are stored encrypted and not shown again.';
const describePresentHeaders = (names: readonly string[]) =>
  `The webhook has ${names.join(', ')}. Headers that you enter replace all of them. ` +
  'If you leave this empty, they stay, unless the URL moves to another host, port or scheme.';

/** Headers of the requests. Those that the webhook has are named, and can be replaced or removed. */
function HeaderFields({ form, headerNames }: Required<Pick<WebhookFormProps, 'form' | 'headerNames'>>) {
  return (
    <>
      <TextField
        form={form}
        name="headers"
        label="Headers"
        hint={headerNames.length === 0 ? HEADERS_HELP : describePresentHeaders(headerNames)}
        placeholder="Authorization: Bearer …"
        rows={2}
      />
      {headerNames.length > 0 && (
        <label class="box">
          <input
            type="checkbox"
            name={REMOVE_HEADERS_FIELD}
            value="yes"
            checked={getFormField(form.values, REMOVE_HEADERS_FIELD) !== ''}
          />
          <span>Remove its headers</span>
        </label>
      )}
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
      {webhook.format === 'standard' ? (
        <>
          <p>
            The receiver at <strong class="host">{webhook.url}</strong> verifies with it that a request is genuine.{' '}
            <a href="/docs/webhooks">How to receive webhooks</a>
          </p>
          <Copyable isBlock label="Verify a signature" text={VERIFY_EXAMPLE} />
        </>
      ) : (
        <p>
          Slack and ntfy don’t verify signatures. You need the secret only for a receiver of your own between the
          service and them.
        </p>
      )}
    </OneTimeSecret>
  );
}
