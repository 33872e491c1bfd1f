import type { Page } from '../../../common/pages';
import type { RelayActivityEntry } from '../../../modules/relay';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copyable';
import { EmptyState } from '../components/empty-state';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Table, type TableColumn } from '../components/table';
import { Time } from '../components/time';

const METHOD_LABELS: Record<RelayActivityEntry['method'], string> = {
  'machine.invoke': 'Ran a command',
  'session.message': 'Sent a message',
  'session.cancel': 'Cancelled a turn',
  'session.permission': 'Decided on a permission request',
  'session.start': 'Started a session',
  'session.end': 'Ended a session',
  'invocation.start': 'Started a long-running command',
  'invocation.cancel': 'Cancelled a long-running command',
  'invocation.output': 'Read the output of a command',
};

const OUTCOME_LABELS: Record<NonNullable<RelayActivityEntry['outcome']>, string> = {
  not_delivered: 'not delivered',
  unknown: 'unknown',
  answered: 'device error',
};

const CALLER_KIND_LABELS: Record<RelayActivityEntry['callerKind'], string> = {
  token: 'Token',
  app: 'App',
  device: 'Device',
};

const COLUMNS: readonly TableColumn<RelayActivityEntry>[] = [
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Call',
    cell: ({ method, sessionId, machineId }) => (
      <>
        {METHOD_LABELS[method]}
        <small class="mono">{machineId ?? sessionId}</small>
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
  publicUrl: string;
}

export function ActivityPage({ calls, cursor, publicUrl }: ActivityPageProps) {
  return (
    <>
      <PageHead
        heading="Activity"
        description="Calls relayed to your devices in the last 30 days. Their contents are never stored."
      />
      {calls.data.length === 0 && cursor === undefined ? (
        <EmptyState heading="No calls yet">
          <p>
            Run this with a token that has <code>machines:invoke</code> and the ID of one of your machines:
          </p>
          <Copyable isBlock label="First command" text={buildInvokeCurl(publicUrl)} />
        </EmptyState>
      ) : (
        <Table
          caption="Relayed calls, newest first"
          columns={COLUMNS}
          rows={calls.data}
          getKey={({ requestId }) => requestId}
        />
      )}
      <Pager path="/console/activity" cursor={cursor} nextCursor={calls.nextCursor} />
    </>
  );
}

function OutcomeCell({ call: { status, code, outcome, requestId } }: { call: RelayActivityEntry }) {
  const tone = status < 300 ? 'good' : outcome === 'unknown' ? 'waiting' : 'bad';
  const label = outcome === null ? 'refused' : OUTCOME_LABELS[outcome];
  return (
    <>
      <Badge tone={tone}>{status < 300 ? 'done' : label}</Badge>
      {code !== null && <small>{`${status} ${code}`}</small>}
      <small class="mono">{requestId}</small>
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
