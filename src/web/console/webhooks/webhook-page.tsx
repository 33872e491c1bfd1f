import { Id } from '@external-api/pages';
import type { AttemptStatistics, DeliveryDto, SubscribedEvent, WebhookDto } from '../../../modules/webhooks';
import { ConfirmAction, DangerZone } from '../components/confirm-action';
import { LiveRegion, LiveRegionItem } from '../components/live-region';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';
import { Form } from '../html/form';
import { EVENTS } from '../../../core/events';
import { EVENT_GROUPS } from '../forms/choice-groups';
import { InlineSelect } from '../forms/fields';
import type { TimeRangeName } from '../forms/time-presets';
import { AttemptCharts } from './attempt-charts';
import type { EndpointState } from './deliveries/delivery-parts';
import { FORMAT_LABELS } from './new-webhook-page';
import type { OwnerNames } from './owner-name-reader';
import { CreatedBy, DeliveryCounts, LastDelivery, WebhookStateBadge, WebhookStateDescription } from './webhook-facts';

interface WebhookPageProps extends EndpointState {
  ownerNames: OwnerNames;
  /** The newest deliveries. */
  recentDeliveries: readonly DeliveryDto[];
  range: TimeRangeName;
  statistics: AttemptStatistics;
  /** Start of the range's first slot, in Unix ms. */
  from: number;
  /** Error of the rejected action; null if there is none. */
  problem: string | null;
}

export function WebhookPage(props: WebhookPageProps) {
  const { webhook, range, statistics, from, problem } = props;
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
      <LiveRegion
        isLive={problem === null && webhook.state === 'active' && webhook.failingSince !== null}
        subject="attempts"
      >
        <LiveRegionItem name="facts">
          <section class="card">
            <Facts {...props} />
            <h2>Subscribed events</h2>
            <SubscribedEventList events={webhook.events} />
          </section>
        </LiveRegionItem>
      </LiveRegion>
      <AttemptCharts {...{ range, statistics, from, path }} />
      {webhook.state === 'active' && <TestEventForm events={webhook.events} path={path} />}
      <WebhookActions webhook={webhook} path={path} />
    </>
  );
}

function Facts({ ownerNames: names, recentDeliveries, ...endpointState }: WebhookPageProps) {
  const { webhook } = endpointState;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <WebhookStateBadge webhook={webhook} />
        <p class="words">
          <WebhookStateDescription {...endpointState} />
        </p>
      </dd>
      <dt>Last attempt</dt>
      <dd>
        <LastDelivery webhook={webhook} />
      </dd>
      <dt>Recent deliveries</dt>
      <dd>
        <DeliveryCounts deliveries={recentDeliveries} />
      </dd>
      <dt>Format</dt>
      <dd>{FORMAT_LABELS[webhook.format]}</dd>
      {webhook.headerNames.length > 0 && (
        <>
          <dt>Headers</dt>
          <dd>
            <code>{webhook.headerNames.join(', ')}</code>
          </dd>
        </>
      )}
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
        <Id value={webhook.id} />
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
          {EVENTS[type].label}
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

interface TestEventFormProps {
  events: readonly SubscribedEvent[];
  /** Path of the webhook's page. */
  path: string;
}

/** Sends an event of a type that the webhook subscribes to, with a sample of its data. */
function TestEventForm({ events, path }: TestEventFormProps) {
  const types = EVENT_GROUPS.flatMap(({ names }) => names).filter(
    (type) => events.includes('*') || events.includes(type),
  );
  return (
    <section class="part" aria-labelledby="test">
      <h2 id="test">Test it</h2>
      <Form action={`${path}/test`} class="acts test-event">
        <label for="type">Event</label>
        <select id="type" name="type">
          {(['webhook.test', ...types] as const).map((type) => (
            <option key={type} value={type}>
              {`${EVENTS[type].label} (${type})`}
            </option>
          ))}
        </select>
        <button class="secondary">Send test event</button>
      </Form>
      <p class="fine">
        Its data is the example of the API reference; the IDs in it don’t exist. Only this webhook gets it.
      </p>
    </section>
  );
}

interface WebhookActionsProps {
  webhook: WebhookDto;
  /** Path of the webhook's page. */
  path: string;
}

function WebhookActions({ webhook: { state }, path }: WebhookActionsProps) {
  return (
    <>
      <section class="acts" aria-label="Edit, pause or rotate">
        <a class="button secondary" href={`${path}/edit`}>
          Edit
        </a>
        {state === 'active' ? (
          <ActionButton verb="Pause" action={`${path}/pause`} />
        ) : (
          <ActionButton verb="Resume" action={`${path}/resume`} />
        )}
        <ConfirmAction
          label="Rotate secret"
          action={`${path}/rotate-secret`}
          isHarmless
          fields={
            <InlineSelect name="overlapSeconds" label="The old secret expires" options={SIGNING_OVERLAP_OPTIONS} />
          }
        >
          The webhook gets a new signing secret. Requests carry both signatures until the old secret expires; after
          that, a receiver that only has the old secret rejects them.
        </ConfirmAction>
      </section>
      <DangerZone>
        <ConfirmAction label="Delete" action={`${path}/delete`}>
          This stops all deliveries, drops pending ones and deletes the log. It can’t be undone.
        </ConfirmAction>
      </DangerZone>
    </>
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
