import type { SubscribedEvent, WebhookDto } from '../../../modules/webhooks';
import { ConfirmAction } from '../components/confirm-action';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';
import { Form } from '../html/form';
import { EVENT_LABELS } from './event-labels';
import type { OwnerNames } from './owner-name-reader';
import { CreatedBy, LastDelivery, WebhookStateBadge, WebhookStateDescription } from './webhook-facts';

interface WebhookPageProps {
  webhook: WebhookDto;
  ownerNames: OwnerNames;
  /** Error of the rejected action; null if there is none. */
  problem: string | null;
}

export function WebhookPage({ webhook, ownerNames: names, problem }: WebhookPageProps) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <>
      <PageHead
        heading={webhook.url}
        description={webhook.description ?? undefined}
        parentLink={{ path: '/console/webhooks', text: 'Webhooks' }}
        actionLink={{ path: `${path}/deliveries`, text: 'Delivery log' }}
      />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      <section class="card">
        <Facts webhook={webhook} ownerNames={names} />
        <h2>Subscribed events</h2>
        <SubscribedEventList events={webhook.events} />
      </section>
      <WebhookActions webhook={webhook} path={path} />
    </>
  );
}

function Facts({ webhook, ownerNames: names }: Omit<WebhookPageProps, 'problem'>) {
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <WebhookStateBadge webhook={webhook} />
        <p class="words">
          <WebhookStateDescription webhook={webhook} />
        </p>
      </dd>
      <dt>Last attempt</dt>
      <dd>
        <LastDelivery webhook={webhook} />
      </dd>
      <dt>Created by</dt>
      <dd>
        <CreatedBy webhook={webhook} ownerNames={names} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={webhook.createdAt} />
      </dd>
      <dt>ID</dt>
      <dd>
        <code>{webhook.id}</code>
      </dd>
    </dl>
  );
}

/** Lists the subscribed events of a webhook. */
function SubscribedEventList({ events }: { events: readonly SubscribedEvent[] }) {
  const types = events.filter((event) => event !== '*');
  if (types.length < events.length) {
    return (
      <p>
        All events that its creator may receive, including event types added in the future <code>*</code>
      </p>
    );
  }
  return (
    <ul class="scopes">
      {types.map((type) => (
        <li key={type}>
          {EVENT_LABELS[type]}
          <code class="scope">{type}</code>
        </li>
      ))}
    </ul>
  );
}

const SIGNING_OVERLAP_OPTIONS = [
  { value: '86400', text: 'in a day' },
  { value: '3600', text: 'in an hour' },
  { value: '0', text: 'at once' },
];

interface WebhookActionsProps {
  webhook: WebhookDto;
  /** Path of the webhook's page. */
  path: string;
}

function WebhookActions({ webhook: { state }, path }: WebhookActionsProps) {
  return (
    <section class="acts" aria-label="Test, pause, rotate or delete">
      {state === 'active' && (
        <>
          <ActionButton verb="Send test event" action={`${path}/test`} />
          <ActionButton verb="Pause" action={`${path}/pause`} />
        </>
      )}
      {state !== 'active' && <ActionButton verb="Resume" action={`${path}/resume`} />}
      <ConfirmAction
        label="Rotate secret"
        action={`${path}/rotate-secret`}
        isHarmless
        fields={
          <label>
            The old secret expires{' '}
            <select name="overlapSeconds">
              {SIGNING_OVERLAP_OPTIONS.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        }
      >
        The webhook gets a new signing secret. Requests carry both signatures until the old secret expires; after that,
        a receiver that only has the old secret rejects them.
      </ConfirmAction>
      <ConfirmAction label="Delete" action={`${path}/delete`}>
        This stops all deliveries, drops pending ones and deletes the log. It can’t be undone.
      </ConfirmAction>
    </section>
  );
}

/** Reversible action without a confirmation. */
function ActionButton({ verb: label, action }: { verb: string; action: string }) {
  return (
    <Form action={action}>
      <button class="secondary">{label}</button>
    </Form>
  );
}
