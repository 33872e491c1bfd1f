import type { Page } from '../../common/pages';
import type { WebhookRecord } from '../../webhooks';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Table, type Column } from '../parts/table';
import type { Names } from './creator-names';
import { LastDelivery } from './last-delivery';
import { MadeBy } from './made-by';
import { NoWebhook } from './no-webhook';
import { WebhookState } from './webhook-state';

const columns = (names: Names): readonly Column<WebhookRecord>[] => [
  {
    name: 'Address',
    cell: ({ id, url, description }) => (
      <>
        <a href={`/console/webhooks/${id}`}>{url}</a>
        {description !== null && <small>{description}</small>}
      </>
    ),
  },
  { name: 'Told', cell: ({ events }) => <Told events={events} /> },
  { name: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { name: 'Last try', cell: (webhook) => <LastDelivery webhook={webhook} /> },
  {
    name: 'Made by',
    cell: (webhook) => (
      <span>
        <MadeBy webhook={webhook} names={names} />
      </span>
    ),
  },
];

interface WebhookListProps {
  webhooks: Page<WebhookRecord>;
  names: Names;
  cursor: string | undefined;
  publicUrl: string;
}

export function WebhookList({ webhooks, names, cursor, publicUrl }: WebhookListProps) {
  return (
    <>
      <PageHead
        heading="Webhooks"
        about="Addresses of yours that are told what happens in the account, as it happens."
        act={{ path: '/console/webhooks/new', text: 'New webhook' }}
      />
      {webhooks.data.length === 0 && cursor === undefined ? (
        <NoWebhook publicUrl={publicUrl} />
      ) : (
        <Table
          caption="Webhooks, the newest first"
          columns={columns(names)}
          rows={webhooks.data}
          keyOf={({ id }) => id}
        />
      )}
      <Pager path="/console/webhooks" cursor={cursor} nextCursor={webhooks.nextCursor} />
    </>
  );
}

const NAMED = 3;

function Told({ events }: Pick<WebhookRecord, 'events'>) {
  if (events.includes('*')) return <>Everything</>;
  const more = events.length - NAMED;
  return (
    <span>
      {events.slice(0, NAMED).map((event) => (
        <span key={event} class="mono event">
          {event}
        </span>
      ))}
      {more > 0 && <small>{`and ${more} more`}</small>}
    </span>
  );
}
