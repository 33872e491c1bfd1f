import type { DeliveryRecord } from '../../../webhooks';
import { Table, type Column } from '../../parts/table';
import { Time } from '../../parts/time';
import { DeliveryState } from './delivery-state';
import { Replay } from './replay';

const columns = (path: string): readonly Column<DeliveryRecord>[] => [
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
    cell: ({ state, nextAttemptAt }) => (
      <span>
        <DeliveryState state={state} />
        {nextAttemptAt !== null && (
          <small>
            {'next try '}
            <Time at={nextAttemptAt} />
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

export function DeliveryTable({ deliveries, path }: { deliveries: readonly DeliveryRecord[]; path: string }) {
  return (
    <Table
      caption="Deliveries, the newest first"
      columns={columns(path)}
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
