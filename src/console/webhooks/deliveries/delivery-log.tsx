import type { Page } from '../../../common/pages';
import type { DeliveryRecord, WebhookRecord } from '../../../webhooks';
import type { FormState } from '../../forms/form-state';
import { Empty } from '../../parts/empty';
import { Following, Part } from '../../parts/following';
import { PageHead } from '../../parts/page-head';
import { Pager } from '../../parts/pager';
import { DeliveryTable } from './delivery-table';
import { isFiltered, logAddress } from './log-address';
import { FILTERS_ID, LogFilters } from './log-filters';
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
        about={`What was sent to ${webhook.url}, and what waits. It is kept for thirty days.`}
        up={{ path: up, text: new URL(webhook.url).host }}
      />
      {replayed !== undefined && <p class="notice">{replayedInWords(replayed)}</p>}
      <LogFilters form={filters} path={path} />
      <section class="acts" aria-label="Filter or replay">
        <button form={FILTERS_ID} class="secondary">
          Filter
        </button>
        {isFiltered(query) && (
          <a class="aside" href={path}>
            Show all
          </a>
        )}
        <ReplayFailed form={replay} action={`${up}/replay`} />
      </section>
      <Following live={isFirst && !isRefused} what="deliveries">
        {deliveries.data.length === 0 && isFirst ? (
          <Part name="empty">
            <Nothing webhook={webhook} query={query} isRefused={filters.status >= 400} />
          </Part>
        ) : (
          <Part name="list">
            <DeliveryTable webhook={webhook} deliveries={deliveries.data} path={path} />
          </Part>
        )}
        <Part name="pager">
          <Pager path={logAddress(path, query)} cursor={cursor} nextCursor={deliveries.nextCursor} />
        </Part>
      </Following>
    </>
  );
}

interface NothingProps {
  webhook: WebhookRecord;
  query: LogQuery;
  isRefused: boolean;
}

function Nothing({ webhook, query, isRefused }: NothingProps) {
  if (isRefused) {
    return (
      <Empty heading="Nothing was looked for">
        <p>One of the filters needs another look.</p>
      </Empty>
    );
  }
  if (isFiltered(query)) {
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
