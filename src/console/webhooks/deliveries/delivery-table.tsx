import type { DeliveryRecord, WebhookRecord } from '../../../webhooks';
import { Table, type Column } from '../../parts/table';
import { Time } from '../../parts/time';
import { DeliveryState } from './delivery-state';
import { NextTry } from './next-try';
import { Replay } from './replay';

const columns = (webhook: WebhookRecord, path: string): readonly Column<DeliveryRecord>[] => [
  {
    name: 'Event',
    cell: ({ id, type }) => (
      <a class="mono event" href={`${path}/${id}`}>
        {type}
      </a>
    ),
  },
  { name: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'State',
    cell: (delivery) => (
      <span>
        <DeliveryState state={delivery.state} />
        {delivery.nextAttemptAt !== null && (
          <small>
            {'next try '}
            <NextTry delivery={delivery} webhook={webhook} />
          </small>
        )}
      </span>
    ),
  },
  { name: 'Answer', cell: (delivery) => <Answer delivery={delivery} /> },
  { name: 'Tries', cell: ({ attempts }) => attempts, isNumber: true },
  {
    name: 'Again',
    cell: (delivery) => (
      <Replay delivery={delivery} path={`${path}/${delivery.id}`} what={`${delivery.type} ${delivery.id}`} />
    ),
  },
];

interface DeliveryTableProps {
  webhook: WebhookRecord;
  deliveries: readonly DeliveryRecord[];
  /** Of the log. */
  path: string;
}

export function DeliveryTable({ webhook, deliveries, path }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries, the newest first"
      columns={columns(webhook, path)}
      rows={deliveries}
      keyOf={({ id }) => id}
      followed
    />
  );
}

function Answer({ delivery: { attempts, lastStatus } }: { delivery: DeliveryRecord }) {
  if (lastStatus !== null) return <>{lastStatus}</>;
  return <span class="none">{attempts === 0 ? 'not tried' : 'none'}</span>;
}
