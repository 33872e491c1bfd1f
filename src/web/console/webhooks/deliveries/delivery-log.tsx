import { EmptyState, Table, type TableColumn } from '@external-api/pages';
import type { Page } from '../../../../common/pages';
import { EVENT_TYPES } from '../../../../core/events';
import { WEBHOOK_DELIVERY_STATES, type DeliveryDto, type DeliverySubject } from '../../../../modules/webhooks';
import { ConfirmAction } from '../../components/confirm-action';
import { LiveRegion, LiveRegionItem } from '../../components/live-region';
import { PageHead } from '../../components/page-head';
import { Pager } from '../../components/pager';
import { Time } from '../../components/time';
import { DateTimeField } from '../../forms/date-time-field';
import { FormProblem, SelectField, TextField } from '../../forms/fields';
import type { FormState } from '../../forms/form-state';
import { buildFilteredPath, FilterActions, isFiltered } from '../../forms/log-filters';
import {
  DeliveryStateBadge,
  NextAttempt,
  OpenCircuitNotice,
  ReplayDelivery,
  SubjectLink,
  type EndpointState,
} from './delivery-parts';

/** Id of the form, whose button is outside of it. */
const FILTER_FORM_ID = 'filters';

/** Differs from the `since` of the log's filters. */
export const FAILED_SINCE_FIELD = 'failedSince';

const ANY_OPTION = { value: '', text: 'Any' };

export interface DeliveryLogProps extends EndpointState {
  /** Number of replayed events, right after a replay. */
  replayed: number | undefined;
  /** Whether there are others to replay. */
  hasMore: boolean;
  cursor: string | undefined;
  filters: FormState;
  replay: FormState;
  deliveries: Page<DeliveryDto>;
  /** Subjects of the events, by the delivery's ID. */
  subjects: ReadonlyMap<string, DeliverySubject>;
  /** Attempts after which a delivery fails. */
  maxAttempts: number;
}

export function DeliveryLog(props: DeliveryLogProps) {
  const { webhook, replayed, hasMore, cursor, filters, replay, deliveries, now } = props;
  const webhookPath = `/console/webhooks/${webhook.id}`;
  const logPath = `${webhookPath}/deliveries`;
  const isFirst = cursor === undefined;
  const isInvalidForm = filters.status >= 400 || replay.status >= 400;
  return (
    <>
      <PageHead
        heading="Delivery log"
        description={`Deliveries to ${webhook.url}, with their attempts.`}
        parentLink={{ path: webhookPath, text: new URL(webhook.url).host }}
      />
      {replayed !== undefined && <p class="notice">{formatReplay(replayed, hasMore)}</p>}
      <DeliveryLogFilters form={filters} path={logPath} />
      <section class="acts" aria-label="Filter or replay">
        <FilterActions form={filters} path={logPath} now={now} formId={FILTER_FORM_ID} />
        <ReplayEvents form={replay} action={`${webhookPath}/replay`} />
      </section>
      <LiveRegion isLive={isFirst && !isInvalidForm} subject="deliveries">
        <LiveRegionItem name="endpoint">
          <OpenCircuitNotice {...props} />
        </LiveRegionItem>
        {deliveries.data.length === 0 && isFirst ? (
          <LiveRegionItem name="empty">
            <DeliveryLogEmptyState webhook={webhook} filters={filters} />
          </LiveRegionItem>
        ) : (
          <LiveRegionItem name="list">
            <DeliveryTable {...props} path={logPath} />
          </LiveRegionItem>
        )}
        <LiveRegionItem name="pager">
          <Pager path={buildFilteredPath(logPath, filters)} cursor={cursor} nextCursor={deliveries.nextCursor} />
        </LiveRegionItem>
      </LiveRegion>
    </>
  );
}

function DeliveryLogEmptyState({ webhook, filters }: Pick<DeliveryLogProps, 'webhook' | 'filters'>) {
  if (filters.status >= 400) {
    return (
      <EmptyState heading="The filters are not valid">
        <p>Correct the filters and try again.</p>
      </EmptyState>
    );
  }
  if (isFiltered(filters)) {
    return (
      <EmptyState heading="No matching deliveries">
        <p>No delivery of the last 30 days matches the filters.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="No deliveries yet">
      <p>
        None of its events has occurred in the last 30 days. Send a test event from{' '}
        <a href={`/console/webhooks/${webhook.id}`}>the webhook’s page</a> to see what arrives.
      </p>
    </EmptyState>
  );
}

function formatReplay(count: number, hasMore: boolean): string {
  if (count === 0 && hasMore) return 'Nothing was replayed: too many deliveries are pending. Try again when fewer are.';
  if (count === 0) return 'No delivery has failed since then, and no event was missed.';
  const replaying = count === 1 ? 'Replaying 1 event.' : `Replaying ${count} events.`;
  return hasMore ? `${replaying} There are more: replay again when these are delivered.` : replaying;
}

const toSelectOptions = (values: readonly string[]) => [ANY_OPTION, ...values.map((value) => ({ value, text: value }))];

interface DeliveryLogFiltersProps {
  form: FormState;
  /** Path of the unfiltered log. */
  path: string;
}

function DeliveryLogFilters({ form, path }: DeliveryLogFiltersProps) {
  return (
    <form id={FILTER_FORM_ID} method="get" action={path} class="filters" role="search" aria-label="Filter the log">
      <SelectField form={form} name="state" label="State" options={toSelectOptions(WEBHOOK_DELIVERY_STATES)} />
      <SelectField form={form} name="type" label="Event" options={toSelectOptions(EVENT_TYPES)} />
      <TextField form={form} name="eventId" label="Event ID" placeholder="evt_…" maxLength={100} />
      <DateTimeField form={form} name="since" label="Since" />
      <DateTimeField form={form} name="until" label="Until" />
    </form>
  );
}

/** Replays the deliveries that failed since a given time, and the events that were missed since then. */
function ReplayEvents({ form, action }: { form: FormState; action: string }) {
  return (
    <ConfirmAction
      label="Replay failed and missed"
      action={action}
      isHarmless
      isSeparated
      isOpen={form.status >= 400}
      fields={
        <>
          <FormProblem form={form} />
          <DateTimeField form={form} name={FAILED_SINCE_FIELD} label="Created since" />
        </>
      }
    >
      This sends every event whose last delivery failed again, with the same <code>webhook-id</code>, and the events
      that the webhook missed while it was disabled, of the last 24 hours.
    </ConfirmAction>
  );
}

const createDeliveryColumns = ({
  subjects,
  path,
  maxAttempts,
  ...endpointState
}: DeliveryTableProps): readonly TableColumn<DeliveryDto>[] => [
  {
    name: 'Event',
    cell: ({ id, type }) => (
      <>
        <a class="mono event" href={`${path}/${id}`}>
          {type}
        </a>
        <SubjectLink subject={subjects.get(id) ?? null} />
      </>
    ),
  },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'State',
    cell: (delivery) => (
      <span>
        <DeliveryStateBadge delivery={delivery} maxAttempts={maxAttempts} />
        {delivery.nextAttemptAt !== null && (
          <small>
            {endpointState.webhook.state !== 'active' && 'next attempt '}
            <NextAttempt delivery={delivery} {...endpointState} />
          </small>
        )}
      </span>
    ),
  },
  { name: 'Response', cell: (delivery) => <ResponseStatusCell delivery={delivery} /> },
  { name: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
  {
    name: 'Action',
    cell: (delivery) => (
      <ReplayDelivery delivery={delivery} path={`${path}/${delivery.id}`} target={`${delivery.type} ${delivery.id}`} />
    ),
  },
];

interface DeliveryTableProps extends DeliveryLogProps {
  /** Path of the log. */
  path: string;
}

function DeliveryTable(props: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries, newest first"
      columns={createDeliveryColumns(props)}
      rows={props.deliveries.data}
      getKey={({ id }) => id}
      isLive
    />
  );
}

function ResponseStatusCell({ delivery: { attempts, lastStatus } }: { delivery: DeliveryDto }) {
  if (lastStatus !== null) return <>{lastStatus}</>;
  return <span class="none">{attempts === 0 ? 'not attempted' : 'none'}</span>;
}
