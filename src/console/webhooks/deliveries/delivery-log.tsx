import type { Page } from '../../../common/pages';
import type { DeliveryRecord, WebhookRecord } from '../../../webhooks';
import type { FormState } from '../../forms/form-state';
import { Empty } from '../../parts/empty';
import { Following, Part } from '../../parts/following';
import { PageHead } from '../../parts/page-head';
import { Pager } from '../../parts/pager';
import { DeliveryTable } from './delivery-table';
import { isFiltered, logAddress } from './log-address';
import { LogFilters } from './log-filters';
import type { LogQuery } from './log-query.dto';
import { ReplayFailed } from './replay-failed';

export interface DeliveryLogProps {
  webhook: WebhookRecord;
  query: LogQuery;
  filters: FormState;
  replay: FormState;
  deliveries: Page<DeliveryRecord>;
}

export function DeliveryLog({ webhook, query, filters, replay, deliveries }: DeliveryLogProps) {
  const up = `/console/webhooks/${webhook.id}`;
  const path = `${up}/deliveries`;
  const { cursor, replayed } = query;
  const isFirst = cursor === undefined;
  const isRefused = filters.status >= 400 || replay.status >= 400;
  return (
    <>
      <PageHead
        heading="Delivery log"
        about="What was sent, and what waits. It is kept for thirty days."
        up={{ path: up, text: webhook.url }}
      />
      {replayed !== undefined && <p class="notice">{replayedInWords(replayed)}</p>}
      <LogFilters form={filters} path={path} isFiltered={isFiltered(query)} />
      <ReplayFailed form={replay} action={`${up}/replay`} />
      <Following live={isFirst && !isRefused} what="deliveries">
        {deliveries.data.length === 0 && isFirst ? (
          <Part name="empty">
            <Nothing webhook={webhook} isFiltered={isFiltered(query)} />
          </Part>
        ) : (
          <Part name="list">
            <DeliveryTable deliveries={deliveries.data} path={path} />
          </Part>
        )}
        <Part name="pager">
          <Pager path={logAddress(path, query)} cursor={cursor} nextCursor={deliveries.nextCursor} />
        </Part>
      </Following>
    </>
  );
}

function Nothing({ webhook, isFiltered }: { webhook: WebhookRecord; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty heading="Nothing like that">
        <p>No delivery of the last thirty days is of this kind.</p>
      </Empty>
    );
  }
  return (
    <Empty heading="No delivery yet">
      <p>
        Nothing that it is told of has happened in the last thirty days. Send a test from{' '}
        <a href={`/console/webhooks/${webhook.id}`}>its page</a> to see what arrives.
      </p>
    </Empty>
  );
}

function replayedInWords(count: number): string {
  if (count === 0) return 'Nothing had failed since then.';
  return count === 1 ? 'One event is sent again.' : `${count} events are sent again.`;
}
