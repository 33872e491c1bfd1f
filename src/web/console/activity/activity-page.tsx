import { EmptyState, Id, Table, type TableColumn } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import type { RelayActivityEntry } from '../../../modules/relay';
import { Copyable } from '../components/copyable';
import { LiveRegion, LiveRegionItem } from '../components/live-region';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Time } from '../components/time';
import type { FormState } from '../forms/form-state';
import { buildFilteredPath, isFiltered } from '../forms/log-filters';
import { ACTIVITY_PATH, ActivityFilters, type ActivityFilterNames } from './activity-filters';
import { CALLER_KIND_LABELS, CallOutcomeBadge, METHOD_LABELS } from './call-page';

const COLUMNS: readonly TableColumn<RelayActivityEntry>[] = [
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Call',
    cell: ({ requestId, method, sessionId, machineId }) => (
      <>
        <a href={`/console/activity/${requestId}`}>{METHOD_LABELS[method]}</a>
        <CallTarget machineId={machineId} sessionId={sessionId} />
      </>
    ),
  },
  {
    name: 'Caller',
    cell: ({ callerName: caller, callerKind }) => (
      <>
        {caller ?? <span class="none">deleted</span>}
        <small>{CALLER_KIND_LABELS[callerKind]}</small>
      </>
    ),
  },
  { name: 'Device', cell: ({ deviceName: device }) => device ?? <span class="none">none</span> },
  { name: 'Outcome', cell: (call) => <OutcomeCell call={call} /> },
  { name: 'Duration', isNumber: true, cell: ({ totalMs }) => (totalMs === null ? '–' : `${totalMs} ms`) },
];

interface ActivityPageProps {
  calls: Page<RelayActivityEntry>;
  cursor: string | undefined;
  filters: FormState;
  names: ActivityFilterNames;
  /** Path of the CSV file with the calls that match; null while the filters are not valid. */
  exportPath: string | null;
  publicUrl: string;
  /** Unix ms. */
  now: number;
}

export function ActivityPage({ calls, cursor, filters, names, exportPath, publicUrl, now }: ActivityPageProps) {
  const isFirst = cursor === undefined;
  return (
    <>
      <PageHead
        heading="Activity"
        description="Calls relayed to your devices. Their contents are never stored."
        actionLink={exportPath === null ? undefined : { path: exportPath, text: 'Export CSV' }}
      />
      <ActivityFilters form={filters} names={names} now={now} />
      <LiveRegion isLive={isFirst && filters.status < 400} subject="calls">
        {calls.data.length === 0 && isFirst ? (
          <LiveRegionItem name="empty">
            <ActivityEmptyState filters={filters} publicUrl={publicUrl} />
          </LiveRegionItem>
        ) : (
          <LiveRegionItem name="list">
            <Table
              caption="Relayed calls, newest first"
              columns={COLUMNS}
              rows={calls.data}
              getKey={({ requestId }) => requestId}
              isLive
            />
          </LiveRegionItem>
        )}
        <LiveRegionItem name="pager">
          <Pager path={buildFilteredPath(ACTIVITY_PATH, filters)} cursor={cursor} nextCursor={calls.nextCursor} />
        </LiveRegionItem>
      </LiveRegion>
    </>
  );
}

function CallTarget({ machineId, sessionId }: Pick<RelayActivityEntry, 'machineId' | 'sessionId'>) {
  if (machineId !== null) return <Id value={machineId} subject="machine" />;
  return sessionId === null ? null : <Id value={sessionId} subject="session" />;
}

function ActivityEmptyState({ filters, publicUrl }: Pick<ActivityPageProps, 'filters' | 'publicUrl'>) {
  if (isFiltered(filters)) {
    return (
      <EmptyState heading="No matching calls">
        <p>No stored call matches the filters.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="No calls yet">
      <p>
        Run this with a token that has <code>machines:invoke</code> and the ID of one of your machines:
      </p>
      <Copyable isBlock label="First command" text={buildInvokeCurl(publicUrl)} />
    </EmptyState>
  );
}

function OutcomeCell({ call }: { call: RelayActivityEntry }) {
  return (
    <>
      <CallOutcomeBadge call={call} />
      {call.code !== null && <small>{`${call.status} ${call.code}`}</small>}
      <Id value={call.requestId} subject="request" />
    </>
  );
}

function buildInvokeCurl(publicUrl: string): string {
  return [
    `curl ${publicUrl}/external/v1/machines/$MACHINE/invoke \\`,
    `  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"command":"uname","args":["-a"]}'`,
  ].join('\n');
}
