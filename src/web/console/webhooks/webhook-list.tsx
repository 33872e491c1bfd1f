import { EmptyState, Table, type TableColumn } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import type { WebhookDto } from '../../../modules/webhooks';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import type { OwnerNames } from './owner-name-reader';
import { CreatedBy, LastDelivery, WebhookStateBadge } from './webhook-facts';

const createWebhookColumns = (ownerNames: OwnerNames): readonly TableColumn<WebhookDto>[] => [
  {
    name: 'URL',
    cell: ({ id, url, description }) => (
      <>
        <a href={`/console/webhooks/${id}`}>{url}</a>
        {description !== null && <small>{description}</small>}
      </>
    ),
  },
  { name: 'Events', cell: ({ events }) => <SubscribedEventsCell events={events} /> },
  { name: 'State', cell: (webhook) => <WebhookStateBadge webhook={webhook} /> },
  { name: 'Last attempt', cell: (webhook) => <LastDelivery webhook={webhook} /> },
  {
    name: 'Created by',
    cell: (webhook) => (
      <span>
        <CreatedBy webhook={webhook} ownerNames={ownerNames} />
      </span>
    ),
  },
];

interface WebhookListProps {
  webhooks: Page<WebhookDto>;
  ownerNames: OwnerNames;
  cursor: string | undefined;
  publicUrl: string;
  attemptTimeoutSeconds: number;
}

export function WebhookList(props: WebhookListProps) {
  const { webhooks, ownerNames: names, cursor } = props;
  return (
    <>
      <PageHead
        heading="Webhooks"
        description="URLs that receive your account’s events."
        actionLink={{ path: '/console/webhooks/new', text: 'New webhook' }}
      />
      {webhooks.data.length === 0 && cursor === undefined ? (
        <WebhooksEmptyState {...props} />
      ) : (
        <Table
          caption="Webhooks, newest first"
          columns={createWebhookColumns(names)}
          rows={webhooks.data}
          getKey={({ id }) => id}
        />
      )}
      <Pager path="/console/webhooks" cursor={cursor} nextCursor={webhooks.nextCursor} />
    </>
  );
}

const MAX_LISTED_EVENTS = 3;

function SubscribedEventsCell({ events }: Pick<WebhookDto, 'events'>) {
  if (events.includes('*')) return <>All events</>;
  const hiddenCount = events.length - MAX_LISTED_EVENTS;
  return (
    <span>
      {events.slice(0, MAX_LISTED_EVENTS).map((event) => (
        <span key={event} class="mono event">
          {event}
        </span>
      ))}
      {hiddenCount > 0 && <small>{`and ${hiddenCount} more`}</small>}
    </span>
  );
}

/** Explains the duties of a receiver and how to create a webhook. */
function WebhooksEmptyState({
  publicUrl,
  attemptTimeoutSeconds,
}: Pick<WebhookListProps, 'publicUrl' | 'attemptTimeoutSeconds'>) {
  return (
    <EmptyState heading="No webhooks yet">
      <p>A webhook posts each event to a URL of yours. Your receiver must</p>
      <ul>
        <li>verify the signature with the signing secret and any Standard Webhooks library,</li>
        <li>respond with a 2xx status within {attemptTimeoutSeconds} seconds and do its work afterwards,</li>
        <li>
          handle duplicates: the same event always has the same <code>webhook-id</code>.
        </li>
      </ul>
      <p>
        <a href="/docs/webhooks">How to receive webhooks</a> has code examples. Create a webhook here, or with a token
        that has <code>webhooks:manage</code> and <code>sessions:read</code>:
      </p>
      <Copyable isBlock label="Create a webhook" text={buildCreateWebhookCurl(publicUrl)} />
    </EmptyState>
  );
}

/** Builds a call that creates a webhook. */
function buildCreateWebhookCurl(publicUrl: string): string {
  const body = JSON.stringify({ url: 'https://example.com/hooks', events: ['session.created'] });
  return [
    `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}' \\`,
    `  ${publicUrl}/external/v1/webhooks`,
  ].join('\n');
}
